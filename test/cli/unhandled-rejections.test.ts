import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { logUnhandledRejections } from '../../src/cli/unhandled-rejections.ts';

it('logs a rejection that nobody waits for', () => {
  const source = new EventEmitter();
  const records: unknown[] = [];
  logUnhandledRejections(source, { error: (fields, message) => records.push([fields, message]) });
  const reason = new Error('lost');
  expect(source.emit('unhandledRejection', reason)).toBe(true);
  expect(records).toEqual([[{ err: reason }, 'unhandled promise rejection']]);
});
