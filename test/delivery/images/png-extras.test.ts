// What is left of PNG files with texts and other extras.
import { describe, expect, it } from 'vitest';
import { stripPngExtras } from '../../../src/delivery/images/png-extras.ts';
import { sharp } from '../../helpers/delivery-images.ts';
import { blackPng, chunk } from '../../helpers/png.ts';

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
