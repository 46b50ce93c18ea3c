import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { createLengthCheck } from '../../../src/http/media/file-downloads.ts';

const pass = (bytes: number) =>
  pipeline(Readable.from([Buffer.from('abc'), Buffer.from('de')]), createLengthCheck(bytes), (body) =>
    buffer(body),
  );

test('a download of the announced length passes', async () => {
  expect(String(await pass(5))).toBe('abcde');
});

test.each([4, 6])('a download of five bytes fails where %i are announced', async (bytes) => {
  await expect(pass(bytes)).rejects.toThrow(StoreError);
});
