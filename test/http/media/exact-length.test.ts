import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { createLengthCheck } from '../../../src/http/media/exact-length.ts';

const pass = (bytes: number) =>
  pipeline(Readable.from([Buffer.from('abc'), Buffer.from('de')]), createLengthCheck(bytes), (body) =>
    buffer(body),
  );

test('the promised number of bytes passes', async () => {
  expect(String(await pass(5))).toBe('abcde');
});

test.each([4, 6])('five bytes are not %i', async (bytes) => {
  await expect(pass(bytes)).rejects.toThrow(StoreError);
});
