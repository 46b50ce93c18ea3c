import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readAvif } from '../../../src/workers/images/avif.ts';
import { FileBytes, OutOfReachError } from '../../../src/workers/images/image-bytes.ts';
import { picture } from '../../helpers/fixtures/images.ts';

const read = (bytes: Buffer) => readAvif(new FileBytes(bytes));

test('an AVIF has the dimensions of its primary item, with and without transparency', async () => {
  expect(read(await picture(64, 48, (image) => image.avif({ effort: 0 })))).toEqual({
    width: 64,
    height: 48,
  });
  const create = {
    width: 64,
    height: 48,
    channels: 4,
    background: { r: 1, g: 2, b: 3, alpha: 0.4 },
  } as const;
  expect(read(await sharp({ create }).avif({ effort: 0 }).toBuffer())).toEqual({ width: 64, height: 48 });
});

test('the rotation of the item is applied', async () => {
  const turned = await picture(64, 48, (image) => image.avif({ effort: 0 }).withMetadata({ orientation: 6 }));
  const shown = await sharp(turned).autoOrient().toBuffer({ resolveWithObject: true });
  expect(turned.includes('irot')).toBe(true);
  expect(read(turned)).toEqual({ width: shown.info.width, height: shown.info.height });
  expect(shown.info.width).toBe(48);
});

test('other files in boxes, and boxes that end before they begin, have no dimensions', async () => {
  const image = await picture(64, 48, (one) => one.avif({ effort: 0 }));
  const video = Buffer.from(image.toString('latin1').replaceAll(/avi[fs]/g, 'mp42'), 'latin1');
  expect(read(video)).toBeUndefined();
  const broken = Buffer.from(image);
  broken.writeUInt32BE(3, broken.indexOf('meta') - 4);
  expect(read(broken)).toBeUndefined();
  expect(() => readAvif(new FileBytes(image.subarray(0, 100), image.length))).toThrow(OutOfReachError);
});
