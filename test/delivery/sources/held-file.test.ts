// Files of sources that give other bytes than they said.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { OriginalFile } from '../../../src/delivery/model/delivery-types.ts';
import { heldToSize } from '../../../src/delivery/sources/source-chain.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';

const fileOf = (bytes: string, size: number | undefined): OriginalFile => ({
  size,
  modifiedAt: undefined,
  validator: '1',
  contentType: undefined,
  open: async () => Readable.from([Buffer.from(bytes)]),
});
const read = async (file: OriginalFile, range?: { start: number; end: number }) =>
  String(await buffer(await file.open(range)));

test('a file passes that is as long as it says, or does not say', async () => {
  expect(await read(heldToSize(fileOf('abc', 3)))).toBe('abc');
  expect(await read(heldToSize(fileOf('abc', undefined)))).toBe('abc');
  expect(await read(heldToSize(fileOf('abc', 9)), { start: 2, end: 4 })).toBe('abc');
});

test.each([2, 4])('a file of three bytes fails that says it has %i', async (size) => {
  await expect(read(heldToSize(fileOf('abc', size)))).rejects.toThrow(StoreError);
  await expect(read(heldToSize(fileOf('abc', 9)), { start: 0, end: size - 1 })).rejects.toThrow(StoreError);
  const changed = () => new AppError('ORIGIN_FAILED');
  await expect(read(heldToSize(fileOf('abc', size), changed))).rejects.toThrow(AppError);
});
