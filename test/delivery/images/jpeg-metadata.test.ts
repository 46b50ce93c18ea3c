// Segments of real and of made-up JPEG files.
import { expect, it } from 'vitest';
import { jpegMetadataBytes } from '../../../src/delivery/images/jpeg-metadata.ts';
import { quadrants } from '../../helpers/delivery-images.ts';

const segment = (kind: number, length: number) => {
  const bytes = Buffer.alloc(2 + length, 'a');
  bytes.set([0xff, kind, length >> 8, length & 0xff]);
  return bytes;
};

it('counts comments and application segments before the first scan', async () => {
  const plain = await quadrants({ width: 40, height: 30, format: 'jpeg' });
  const before = jpegMetadataBytes(plain);
  const more = [segment(0xe2, 60_000), segment(0xfe, 500), segment(0xef, 10)];
  const file = Buffer.concat([plain.subarray(0, 2), ...more, plain.subarray(2), segment(0xe2, 9000)]);
  expect(jpegMetadataBytes(file)).toBe(before + 60_510);
});

it.each([
  Buffer.alloc(0),
  Buffer.from('\xff\xd8\xff', 'latin1'),
  Buffer.from('no JPEG at all'),
  Buffer.from([0xff, 0xd8, 0, 0, 0, 0, 0]),
])('is 0 and ends for %j', (file) => expect(jpegMetadataBytes(file)).toBe(0));
