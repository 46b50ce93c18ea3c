import { expect, test } from 'vitest';
import { dimensionsInHeader, imageDimensions } from '../../src/workers/image-dimensions.ts';
import { noise, picture } from '../helpers/fixtures/images.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

const HEAD = 4096;
const SIZE = 1_000_000;
const headOf = (bytes: Buffer) => dimensionsInHeader(bytes.subarray(0, HEAD), bytes.length);

test.each([
  ['png', { width: 300, height: 200 }],
  ['jpeg', { width: 300, height: 200 }],
  ['gif', { width: 300, height: 200 }],
  ['webp', { width: 300, height: 200 }],
] as const)('the header of a %s tells its dimensions', async (format, dimensions) => {
  const bytes = await noise(300, 200, (image) => image.toFormat(format));
  expect(bytes.length).toBeGreaterThan(HEAD);
  expect(headOf(bytes)).toEqual(dimensions);
});

test('an image that is turned has the dimensions that are shown', async () => {
  const turned = await picture(40, 30, (image) => image.jpeg().withMetadata({ orientation: 6 }));
  expect(headOf(turned)).toEqual({ width: 30, height: 40 });
});

test('a header that ends before its dimensions, or before what may turn them, tells nothing', async () => {
  const jpeg = await noise(300, 200, (image) => image.jpeg());
  expect(dimensionsInHeader(jpeg.subarray(0, 20), jpeg.length)).toBeUndefined();
  const turned = await noise(300, 200, (image) => image.webp().withMetadata({ orientation: 6 }));
  // Its EXIF block stands behind the pixels.
  expect(headOf(turned)).toBeUndefined();
  expect(
    imageDimensions({ head: turned, tail: Buffer.alloc(0), size: turned.length, isPart: false }),
  ).toEqual({ width: 200, height: 300 });
  const png = await noise(300, 200, (image) => image.png());
  expect(dimensionsInHeader(png.subarray(0, 33), png.length)).toBeUndefined();
  expect(dimensionsInHeader(png.subarray(0, 33), 33)).toEqual({ width: 300, height: 200 });
});

test('other files, and dimensions that no image has, are left to those who read more', () => {
  const gif = Buffer.from('GIF89a\0\0\0\0', 'latin1');
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('PK\x03\x04'),
    Buffer.from('<svg width="3" height="4"/>'),
    gif,
  ])
    expect(dimensionsInHeader(bytes, bytes.length)).toBeUndefined();
});

/** Heads that make a reader take as many steps as it can. */
const WORST: Readonly<Record<string, (bytes: Buffer) => void>> = {
  'a PNG of empty chunks': (bytes) => {
    bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
    bytes.write('IHDR', 12);
  },
  'a JPEG of fill bytes': (bytes) => {
    bytes.fill(0xff)[1] = 0xd8;
  },
  'a JPEG of empty segments': (bytes) => {
    for (let at = 2; at + 4 <= bytes.length; at += 4) bytes.writeUInt32BE(0xff_e1_00_02, at);
    bytes.writeUInt16BE(0xff_d8, 0);
  },
  'a WebP of empty chunks': (bytes) => {
    bytes.write('RIFF    WEBPVP8X');
    bytes[20] = 8;
  },
};

test.each(Object.entries(WORST))('%s takes next to no time', async (_name, fill) => {
  const bytes = Buffer.alloc(HEAD);
  fill(bytes);
  const read = async () => {
    for (let count = 0; count < 100; count += 1) expect(dimensionsInHeader(bytes, SIZE)).toBeUndefined();
  };
  // A hundred of them, so that this is no measure of the machine.
  expect(await longestBlockMs(500, read)).toBeLessThan(500);
});
