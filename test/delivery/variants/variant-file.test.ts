// The form of stored variants, whole and damaged.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeHead, encodeVariant, hashOf } from '../../../src/delivery/variants/variant-file.ts';

const INFO = {
  ...{ contentType: 'image/webp', width: 3, height: 2 },
  ...{ recipe: 'thumbnail', path: 'ä/b.jpg', query: 'w=1' },
};
const BODY = Buffer.from('body');

it('a variant file returns what was stored', () => {
  const file = Buffer.concat(encodeVariant(INFO, BODY)!);
  const head = decodeHead(file);
  expect(head).toEqual({ info: INFO, size: 4, hash: hashOf(BODY), offset: file.length - 4 });
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

function fileWith(head: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.from('CLV1\0\0\0\0', 'latin1');
  prefix.writeUInt32BE(text.length, 4);
  return Buffer.concat([prefix, text]);
}

it.each<[string, unknown]>([
  ['no object', []],
  ['no description', { size: 4, hash: 'x' }],
  ['a description that is no object', { info: 'x', size: 4, hash: 'x' }],
  ['a path that is no text', { info: { ...INFO, path: 1 }, size: 4, hash: 'x' }],
  ['a width that is no integer', { info: { ...INFO, width: 0.5 }, size: 4, hash: 'x' }],
  ['no hash', { info: INFO, size: 4 }],
  ['no size', { info: INFO, hash: 'x' }],
])('the head of a variant file with %s is undefined', (_what, head) => {
  expect(decodeHead(fileWith({ info: INFO, size: 4, hash: 'x' }))).toMatchObject({ info: INFO, size: 4 });
  expect(decodeHead(fileWith(head))).toBeUndefined();
});

it('no variant file is created whose head would be too long to be read at once', () => {
  const path = '\u0001'.repeat(12_000);
  expect(encodeVariant({ ...INFO, path }, BODY)).toBeUndefined();
});
