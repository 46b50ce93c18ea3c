import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { logStrayFailures } from '../../src/cli/stray-failures.ts';

it('logs a rejection that nobody waits for', () => {
  const source = new EventEmitter();
  const records: unknown[] = [];
  logStrayFailures(source, { error: (fields, message) => records.push([fields, message]) });
  const reason = new Error('lost');
  expect(source.emit('unhandledRejection', reason)).toBe(true);
  expect(records).toEqual([[{ err: reason }, 'a failure that nobody waited for']]);
});
