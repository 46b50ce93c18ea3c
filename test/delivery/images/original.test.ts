// Headers of real files: sizes, turns, limits, and how much memory decoding is said to take.
import { describe, expect, it } from 'vitest';
import { jpegMetadataBytes, readOriginal, stripPngExtras } from '../../../src/delivery/images/original.ts';
import { blackPng, bmp, chunk, greyAnimation, png, quadrants, sharp } from '../../helpers/fixtures/images.ts';

const LIMITS = { maxPixels: 100_000_000, maxOutputPixels: 1e6, maxFrames: 60 };
const read = (bytes: Buffer, maxPixels = LIMITS.maxPixels) =>
  readOriginal(sharp, bytes, { ...LIMITS, maxPixels });

describe('an original', () => {
  it('has the size as shown, and all its frames', async () => {
    const sideways = await read(await quadrants({ width: 40, height: 30, format: 'jpeg', orientation: 6 }));
    expect(sideways).toMatchObject({
      stored: { width: 40, height: 30 },
      shown: { width: 30, height: 40 },
      pages: 1,
    });
    expect(await read(await greyAnimation(12, 10, 7))).toMatchObject({
      shown: { width: 12, height: 10 },
      pages: 7,
    });
  });

  it('is refused by its header alone', async () => {
    const message = 'The image of 14200×14100 has more than 100000000 pixels';
    await expect(read(png(14_200, 14_100, Buffer.alloc(0)))).rejects.toMatchObject({
      reason: 'too-large',
      message,
    });
    await expect(read(await greyAnimation(10, 10, 11), 1099)).rejects.toMatchObject({ reason: 'too-large' });
    expect(await read(await greyAnimation(10, 10, 11), 1100)).toMatchObject({ pages: 11 });
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a BMP', bmp(9, 9)],
    ['a JPEG of three bytes', Buffer.from('\xff\xd8\xff', 'latin1')],
    ['a film in a container like that of AVIF', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42')],
  ])('is refused when it is %s', async (_name, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ reason: 'invalid', message: 'Image data is invalid' });
  });

  it('may have profiles and comments of 16 MiB, not more', async () => {
    const jpeg = await quadrants({ width: 40, height: 30, format: 'jpeg' });
    const comment = Buffer.alloc(2 + 0xffff);
    comment.set([0xff, 0xfe, 0xff, 0xff]);
    const withComments = (count: number) =>
      read(Buffer.concat([jpeg.subarray(0, 2), ...Array(count).fill(comment), jpeg.subarray(2)]));
    expect(await withComments(255)).toMatchObject({ stored: { width: 40, height: 30 } });
    await expect(withComments(257)).rejects.toMatchObject({
      reason: 'too-large',
      message: 'The image has too much metadata',
    });
  });

  it('takes more memory where it must be held whole', async () => {
    const flat = () => sharp({ create: { width: 1000, height: 5000, channels: 3, background: 'red' } });
    const bytesOf = async (bytes: Buffer) => (await read(bytes)).decodingBytes;
    const rows = await bytesOf(await flat().jpeg().toBuffer());
    expect(await bytesOf(await flat().png().toBuffer())).toBeLessThan(rows * 1.1);
    for (const whole of [
      await flat().jpeg({ progressive: true }).toBuffer(),
      await flat().png({ progressive: true }).toBuffer(),
      await flat().webp({ lossless: true, effort: 0 }).toBuffer(),
    ]) {
      expect(await bytesOf(whole)).toBeGreaterThan(rows + 15_000_000);
    }
  });

  it('takes more memory with more samples a pixel', async () => {
    const flat = () => sharp({ create: { width: 1000, height: 1000, channels: 3, background: 'red' } });
    const bytesOf = async (bytes: Buffer) => (await read(bytes)).decodingBytes - bytes.length;
    const jpeg = (chromaSubsampling: string) =>
      flat().jpeg({ progressive: true, chromaSubsampling }).toBuffer();
    expect(await bytesOf(await jpeg('4:4:4'))).toBeGreaterThan(await bytesOf(await jpeg('4:2:0')));
    const deep = (progressive: boolean) => flat().toColourspace('rgb16').png({ progressive }).toBuffer();
    for (const progressive of [false, true]) {
      const shallow = await flat().png({ progressive }).toBuffer();
      expect(await bytesOf(await deep(progressive))).toBe(2 * (await bytesOf(shallow)));
    }
  });
});

// Segments of real and of made-up JPEG files.

const segment = (kind: number, length: number) => {
  const bytes = Buffer.alloc(2 + length, 'a');
  bytes.set([0xff, kind, length >> 8, length & 0xff]);
  return bytes;
};

it('JPEG metadata is the size of comments and application segments before the first scan', async () => {
  const plain = await quadrants({ width: 40, height: 30, format: 'jpeg' });
  const before = jpegMetadataBytes(plain);
  const more = [segment(0xe2, 60_000), segment(0xfe, 500), segment(0xef, 10)];
  const file = Buffer.concat([plain.subarray(0, 2), ...more, plain.subarray(2), segment(0xe2, 9000)]);
  expect(jpegMetadataBytes(file)).toBe(before + 60_510);
});

it('JPEG metadata counts segments behind fill bytes and stray bytes, as decoders read them', async () => {
  const plain = await quadrants({ width: 40, height: 30, format: 'jpeg' });
  const before = jpegMetadataBytes(plain);
  const filled = [
    Buffer.from([0xff, 0xff, 0xff]),
    segment(0xe2, 60_000),
    Buffer.from([0, 1]),
    segment(0xfe, 500),
  ];
  const file = Buffer.concat([plain.subarray(0, 2), ...filled, plain.subarray(2)]);
  expect(jpegMetadataBytes(file)).toBe(before + 60_500);
  expect((await sharp(file).metadata()).width).toBe(40);
});

it.each([
  Buffer.alloc(0),
  Buffer.from('\xff\xd8\xff', 'latin1'),
  Buffer.from('no JPEG at all'),
  Buffer.from([0xff, 0xd8, 0, 0, 0, 0, 0]),
])('JPEG metadata is 0 bytes for %j', (file) => expect(jpegMetadataBytes(file)).toBe(0));

const text = (bytes: number, kind = 'tEXt') => chunk(kind, Buffer.alloc(bytes, 'a'));

describe('the extras of a PNG', () => {
  it('go when they are long, and the image stays', async () => {
    const file = stripPngExtras(blackPng(8, 8, [text(3000), text(3000, 'zTXt'), text(10, 'iTXt')]));
    expect(file.equals(blackPng(8, 8))).toBe(true);
    expect((await sharp(file).metadata()).width).toBe(8);
  });

  it.each([
    ['short ones', blackPng(8, 8, [text(100)])],
    ['no PNG', Buffer.from('tEXt'.repeat(5000))],
    ['nothing', Buffer.alloc(0)],
  ])('of %s are left alone', (_name, file) => {
    expect(stripPngExtras(file)).toBe(file);
  });

  it('are all that is not for showing the first frame', () => {
    const extras = [text(3000, 'sPLT'), text(3000, 'fdAT'), text(2_000_000, 'eXIf')];
    expect(stripPngExtras(blackPng(8, 8, [...extras, text(100, 'eXIf')]))).toEqual(
      blackPng(8, 8, [text(100, 'eXIf')]),
    );
  });

  it('may claim any length', () => {
    const file = Buffer.concat([
      blackPng(8, 8),
      Buffer.from([255, 255, 255, 255]),
      Buffer.from('tEXt'),
      Buffer.alloc(9000),
    ]);
    expect(stripPngExtras(file).equals(blackPng(8, 8))).toBe(true);
  });
});
