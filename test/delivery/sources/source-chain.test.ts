import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { OriginalFile, OriginalSource } from '../../../src/delivery/model/delivery-types.ts';
import { createSourceChain, heldToSize } from '../../../src/delivery/sources/source-chain.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';

const sourceOf = (name: string, files: readonly string[], asked: string[]): OriginalSource => ({
  async find(path) {
    asked.push(name);
    if (!files.includes(path)) return undefined;
    const open = async () => Readable.from([]);
    return { size: 0, modifiedAt: undefined, validator: name, contentType: undefined, open };
  },
});

test('the first source that has a file gives it, and those behind it are not asked', async () => {
  const asked: string[] = [];
  const source = createSourceChain([sourceOf('one', ['a'], asked), sourceOf('two', ['a', 'b'], asked)]);
  expect((await source.find('a'))?.validator).toBe('one');
  expect(asked).toEqual(['one']);
  expect((await source.find('b'))?.validator).toBe('two');
  expect(await source.find('c')).toBeUndefined();
});

const [COMPOSED, DECOMPOSED] = ['caf\u00e9/\u00fc.png', 'cafe\u0301/u\u0308.png'] as const;

test('a file has its name in every normal form of Unicode, and the exact spelling goes first', async () => {
  for (const [stored, asked] of [
    [COMPOSED, DECOMPOSED],
    [DECOMPOSED, COMPOSED],
    ['caf\u00e9/u\u0308.png', 'caf\u00e9/u\u0308.png'],
  ] as const) {
    expect((await createSourceChain([sourceOf('one', [stored], [])]).find(asked))?.validator).toBe('one');
  }
  const both = createSourceChain([sourceOf('one', [COMPOSED], []), sourceOf('two', [DECOMPOSED], [])]);
  expect((await both.find(COMPOSED))?.validator).toBe('one');
  expect((await both.find(DECOMPOSED))?.validator).toBe('two');
});

test('a name that has one form only is asked for once', async () => {
  const asked: string[] = [];
  await createSourceChain([sourceOf('one', [], asked)]).find('plain.png');
  expect(asked).toEqual(['one']);
});

// Files of sources that give other bytes than they said.

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
