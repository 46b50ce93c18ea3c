import { expect, test } from 'vitest';
import { FileBytes, OutOfReachError } from '../../../src/workers/images/image-bytes.ts';
import { readOrientation, readTiff } from '../../../src/workers/images/tiff.ts';
import { noise, picture, tiffBlock } from '../../helpers/fixtures/images.ts';

test.each(['II', 'MM'] as const)(
  'a TIFF in byte order %s has its dimensions, turned where it says so',
  (order) => {
    const plain = tiffBlock({ 256: 40, 257: 30 }, order);
    const turned = tiffBlock({ 256: 40, 257: 30, 274: 5 }, order);
    expect(readTiff(new FileBytes(plain))).toEqual({ width: 40, height: 30 });
    expect(readTiff(new FileBytes(turned))).toEqual({ width: 30, height: 40 });
  },
);

test('a directory at the end of a long TIFF is read from its last bytes', async () => {
  const long = await noise(300, 200, (image) =>
    image.tiff({ compression: 'none' }).withMetadata({ orientation: 6 }),
  );
  const head = long.subarray(0, 1000);
  expect(readTiff(new FileBytes(head, long.length, long.subarray(-2000)))).toEqual({
    width: 200,
    height: 300,
  });
  expect(() => readTiff(new FileBytes(head, long.length))).toThrow(OutOfReachError);
});

test('a compressed TIFF has its dimensions', async () => {
  const bytes = await picture(41, 31, (image) => image.tiff({ compression: 'lzw' }));
  expect(readTiff(new FileBytes(bytes))).toEqual({ width: 41, height: 31 });
});

test('a block without a header turns nothing, and a directory without dimensions has none', () => {
  expect(readOrientation(new FileBytes(Buffer.from('XX*\0')), 0)).toBe(1);
  expect(readTiff(new FileBytes(tiffBlock({ 274: 6 })))).toBeUndefined();
});
