// A variant in memory reads like one on disk.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  bodyHash,
  createMemoryVariant,
  decodeHead,
  encodeVariant,
} from '../../../src/delivery/variants/variant-store.ts';

it('a variant in memory opens whole and in part', async () => {
  const shown = { contentType: 'image/png', width: 1, height: 1 };
  const info = { ...shown, recipe: 'thumb', path: 'a', source: 'file:a', settings: '[]' };
  const variant = createMemoryVariant(info, Buffer.from('abcdef'));
  const textOf = async (range?: { start: number; end: number }) => {
    const pieces: Buffer[] = [];
    for await (const piece of await variant.open(range)) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };
  expect([await textOf(), await textOf({ start: 1, end: 2 }), variant.size]).toEqual(['abcdef', 'bc', 6]);
});

// The form of stored variants, whole and damaged.

const INFO = {
  contentType: 'image/webp',
  width: 3,
  height: 2,
  recipe: 'thumbnail',
  path: 'ä/b.jpg',
  source: 'file:ä/b.jpg',
  settings: '[]',
};

const BODY = Buffer.from('body');

it('a variant file returns what was stored', () => {
  const file = Buffer.concat(encodeVariant(INFO, BODY)!);
  const head = decodeHead(file);
  expect(head).toEqual({ info: INFO, size: 4, hash: bodyHash(BODY), offset: file.length - 4 });
});

it('a variant file that is truncated or changed at its start is undefined, and never throws', () => {
  const [head] = encodeVariant(INFO, BODY)!;
  for (let length = 0; length < head.length; length += 1) {
    expect(decodeHead(head.subarray(0, length))).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodeHead(Buffer.concat([Buffer.from('CLV1\0\0\0'), bytes]));
    }),
  );
});

it('no variant file is created for a path that is too long', () => {
  expect(encodeVariant({ ...INFO, path: 'a'.repeat(20_000) }, BODY)).toBeUndefined();
});
