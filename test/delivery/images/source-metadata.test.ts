// Segments of real and of made-up JPEG files.

import { describe, expect, it } from 'vitest';
import { jpegMetadataBytes, stripPngExtras } from '../../../src/delivery/images/original.ts';
import { blackPng, chunk, quadrants, sharp } from '../../helpers/fixtures/images.ts';

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
