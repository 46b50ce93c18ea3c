import { expect, test } from 'vitest';
import { isEventSize, MAX_CHARACTERS } from '../../../src/sandbox-supervisor/protocol/event-sizes.ts';

const bytesOf = (head: unknown) => Buffer.byteLength(JSON.stringify(head));
/** JSON has no longer way to write a character. */
const text = (characters: number) => '\u0001'.repeat(characters);

test('what the guest side cuts to has room, however it is escaped', () => {
  const message = text(MAX_CHARACTERS.message);
  const stack = text(MAX_CHARACTERS.stack);
  const code = text(MAX_CHARACTERS.code);
  expect(isEventSize('error', bytesOf({ message, stack, code, tooLarge: true }), 0)).toBe(true);
  expect(isEventSize('next', bytesOf({ message, statusCode: 500 }), 0)).toBe(true);
  const record = { level: 'error', message: text(MAX_CHARACTERS.record), stack };
  expect(isEventSize('log', bytesOf(record), 0)).toBe(true);
  const each = MAX_CHARACTERS.headers / MAX_CHARACTERS.headerCount - 1;
  const headers = Array.from({ length: MAX_CHARACTERS.headerCount }, () => ['a', '\xff'.repeat(each)]);
  expect(isEventSize('end', bytesOf([200, headers, 'base64']), 67_108_864)).toBe(true);
  expect(isEventSize('call', bytesOf({ call: 1000, name: 'model.update' }), 1_000_000)).toBe(true);
  expect(isEventSize('result', bytesOf({}), 1_000_000)).toBe(true);
});
