import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { holdToLength } from '../../../src/lib/async/stream-length.ts';

const source = () => Readable.from([Buffer.from('abc'), Buffer.from('de')]);
const pass = (bytes: number) => buffer(holdToLength(source(), bytes));

test('a stream of the announced length passes', async () => {
  expect(String(await pass(5))).toBe('abcde');
  expect(String(await buffer(holdToLength(Readable.from([]), 0)))).toBe('');
});

test.each([4, 6, 0])('a stream of five bytes fails where %i are announced', async (bytes) => {
  await expect(pass(bytes)).rejects.toThrow(StoreError);
});

test('nothing of a chunk with too many bytes passes', async () => {
  const passed: Buffer[] = [];
  const held = holdToLength(source(), 4).on('data', (chunk: Buffer) => passed.push(chunk));
  await new Promise((resolve) => held.once('error', resolve));
  expect(String(Buffer.concat(passed))).toBe('abc');
});

test('the error of a wrong length can be one of the caller', async () => {
  const held = holdToLength(source(), 4, (message) => new TypeError(message));
  await expect(buffer(held)).rejects.toThrow(TypeError);
});

test('a stream that is held to its length is destroyed with the result, and not held twice', async () => {
  const first = source();
  const held = holdToLength(first, 5);
  expect(holdToLength(held, 5)).toBe(held);
  expect(holdToLength(held, 4)).not.toBe(held);
  const other = source();
  holdToLength(other, 5).destroy();
  await new Promise((resolve) => other.once('close', resolve));
  expect(other.destroyed).toBe(true);
});
