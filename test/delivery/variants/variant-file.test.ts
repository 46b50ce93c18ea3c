// The form of stored variants, whole and damaged.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyHash, decodeHead, encodeVariant } from '../../../src/delivery/variants/variant-store.ts';

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
