import { expect, test } from 'vitest';
import { FileBytes, OutOfReachError } from '../../../src/workers/images/image-bytes.ts';
import { readJpeg } from '../../../src/workers/images/jpeg.ts';
import { picture, tiffBlock } from '../../helpers/fixtures/images.ts';

const SOI = '\xff\xd8';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const frame = (marker: string) => latin1(`\xff${marker}\0\x0b\x08\0\x1e\0\x28\x01\x01\x11\0`);

function segment(marker: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return Buffer.concat([latin1(`\xff${marker}`), length, body]);
}

const read = (...parts: readonly Buffer[]) => readJpeg(new FileBytes(Buffer.concat([latin1(SOI), ...parts])));
const exif = (block: Buffer) => segment('\xe1', latin1('Exif\0\0'), block);

test.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %i is applied', async (orientation) => {
  const bytes = await picture(40, 30, (image) => image.jpeg().withMetadata({ orientation }));
  const shown = orientation < 5 ? { width: 40, height: 30 } : { width: 30, height: 40 };
  expect(readJpeg(new FileBytes(bytes))).toEqual(shown);
});

test('progressive, lossless and arithmetic frames count, tables do not', async () => {
  const progressive = await picture(40, 30, (image) => image.jpeg({ progressive: true }));
  expect(readJpeg(new FileBytes(progressive))).toEqual({ width: 40, height: 30 });
  for (const marker of ['\xc0', '\xc3', '\xc9', '\xcf']) {
    expect(read(segment('\xc4', Buffer.alloc(40, 0xff)), frame(marker))).toEqual({ width: 40, height: 30 });
  }
});

test('the thumbnail in a segment is not taken for the image', () => {
  const thumbnail = Buffer.concat([latin1(SOI), latin1('\xff\xc0\0\x0b\x08\0\x05\0\x05\x01\x01\x11\0')]);
  expect(read(segment('\xe2', thumbnail), frame('\xc0'))).toEqual({ width: 40, height: 30 });
});

test('a directory anywhere in the EXIF block is found, in both byte orders, and broken ones turn nothing', () => {
  const tags = { 274: 6 };
  expect(read(exif(tiffBlock(tags, 'MM')), frame('\xc0'))).toEqual({ width: 30, height: 40 });
  const moved = Buffer.concat([tiffBlock(tags).subarray(0, 8), Buffer.alloc(6), tiffBlock(tags).subarray(8)]);
  moved.writeUInt32LE(14, 4);
  expect(read(exif(moved), frame('\xc0'))).toEqual({ width: 30, height: 40 });
  moved.writeUInt32LE(0xffff_fff0, 4);
  expect(read(exif(moved), frame('\xc0'))).toEqual({ width: 40, height: 30 });
});

test('bytes that are no segment, and an image without a frame, have no dimensions', () => {
  expect(read(segment('\xe0', Buffer.alloc(4)), latin1('PK\x03\x04'), frame('\xc0'))).toBeUndefined();
  expect(read(segment('\xda', Buffer.alloc(4)), frame('\xc0'))).toBeUndefined();
  expect(() => read(latin1('\xff\xe0\xff\xff'))).toThrow(OutOfReachError);
  // A segment cannot be shorter than its length: here the next one would be itself, again and again.
  expect(read(latin1('\xff\xe0\0\0'), frame('\xc0'))).toBeUndefined();
});
