import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createEncoder, negotiateContentEncoding } from '../../../src/delivery/responses/content-encoding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP, BR', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['gzip;q=0, *', 'br'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['gzip;q=nonsense', undefined],
  ['gzip ; q=0.2', 'gzip'],
  ['deflate', undefined],
])('Accept-Encoding %j is negotiated to %j', (header, encoding) => {
  expect(negotiateContentEncoding(header)).toBe(encoding);
});

test('a compressed body decompresses to the original', async () => {
  for (const [encoding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const encoder = createEncoder(encoding, 5);
    encoder.end('hello');
    const bytes = Buffer.concat(await encoder.toArray());
    expect(decode(bytes).toString()).toBe('hello');
  }
  expect(await text(createEncoder('gzip', undefined).end('x'))).not.toBe('x');
});
