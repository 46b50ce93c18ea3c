// Formats and encoders of results.
import { describe, expect, it } from 'vitest';
import { readOriginal } from '../../../src/delivery/images/original.ts';
import { assertSideLength, chooseFormat, encodeImage } from '../../../src/delivery/images/render.ts';
import { metadataOf, quadrants, sharp } from '../../helpers/fixtures/images.ts';

const LIMITS = { maxPixels: 1e8, maxOutputPixels: 1e8, maxFrames: 60 };
const SIZE = { width: 80, height: 60 };

describe('the output format of a variant', () => {
  it.each([
    ['jpeg', 'source', 'jpg'],
    ['avif', 'source', 'avif'],
    ['jpeg', 'compatible', 'jpg'],
    ['gif', 'compatible', 'gif'],
    ['webp', 'compatible', 'jpg'],
    ['avif', 'compatible', 'jpg'],
    ['png', 'webp', 'webp'],
  ] as const)('of a %s as %s is %s', async (format, candidate, expected) => {
    const original = await readOriginal(sharp, await quadrants({ ...SIZE, format }), LIMITS);
    expect(chooseFormat([candidate], original, false)).toBe(expected);
  });

  it('of a transparent WebP or AVIF for every browser is png', async () => {
    const clear = { ...SIZE, channels: 4 as const, background: { r: 9, g: 9, b: 9, alpha: 0.5 } };
    for (const format of ['webp', 'avif'] as const) {
      const bytes = await sharp({ create: clear }).toFormat(format).toBuffer();
      expect(chooseFormat(['compatible'], await readOriginal(sharp, bytes, LIMITS), false)).toBe('png');
    }
  });

  it('moves where it can, if it is to move', async () => {
    const original = await readOriginal(sharp, await quadrants(SIZE), LIMITS);
    expect(chooseFormat(['avif', 'webp', 'compatible'], original, true)).toBe('webp');
    expect(chooseFormat(['avif', 'webp'], original, false)).toBe('avif');
    expect(chooseFormat(['jpg'], original, true)).toBe('jpg');
  });

  it('limits width and height', () => {
    expect(() => assertSideLength('webp', { width: 16_384, height: 1 })).toThrow(
      'at most 16383 pixels a side',
    );
    assertSideLength('png', { width: 16_384, height: 1 });
  });
});

describe('the encoder of a variant', () => {
  const bytesOf = async (format: 'jpg' | 'png' | 'webp' | 'avif', quality: number) => {
    // Fine gradients, which quality shows in.
    const pixels = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, at) => (at * at) % 253));
    const image = sharp(pixels, { raw: { width: 200, height: 200, channels: 3 } });
    return (await encodeImage(image, format, { quality }, { width: 200, height: 200 }).toBuffer()).length;
  };
  it.each(['jpg', 'webp', 'avif'] as const)(
    'of %s makes smaller files at a lower quality',
    async (format) => {
      expect(await bytesOf(format, 30)).toBeLessThan(await bytesOf(format, 90));
    },
  );

  it('of PNG compresses less at a higher quality, as the older server did', async () => {
    expect(await bytesOf('png', 100)).toBeGreaterThanOrEqual(await bytesOf('png', 1));
  });

  it('of JPEG is progressive on demand', async () => {
    const image = sharp(await quadrants(SIZE));
    const body = await encodeImage(image, 'jpg', { progressive: true }, SIZE).toBuffer();
    expect((await metadataOf(body)).isProgressive).toBe(true);
  });
});
