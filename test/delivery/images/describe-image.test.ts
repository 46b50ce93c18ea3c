// What is said of an image instead of showing it.
import { expect, it } from 'vitest';
import { describeImage } from '../../../src/delivery/images/describe-image.ts';
import { readOriginal } from '../../../src/delivery/images/original.ts';
import { quadrants, sharp } from '../../helpers/fixtures/images.ts';

const LIMITS = { maxPixels: 1e8, maxOutputPixels: 1e8, maxFrames: 60 };

it.each(['#c83232', '#000000', '#808080'])(
  'names %s as the colour of an image that has no other',
  async (colour) => {
    const create = { width: 50, height: 40, channels: 3 as const, background: colour };
    const bytes = await sharp({ create }).png().withMetadata({ density: 300 }).toBuffer();
    const original = await readOriginal(sharp, bytes, LIMITS);
    const job = {
      settings: { quality: 5 },
      candidates: ['json' as const],
      limits: LIMITS,
      fileName: 'x.png',
    };
    const { body } = await describeImage(sharp(bytes), original, job, { width: 5, height: 4 });
    expect(JSON.parse(body.toString())).toEqual({
      fileName: 'x.png',
      format: 'png',
      fileSize: bytes.length,
      width: 50,
      height: 40,
      frames: 1,
      hasAlpha: false,
      density: { width: 300, height: 300, unit: 'dpi' },
      quality: 5,
      output: { width: 5, height: 4 },
      primaryColor: colour,
    });
  },
);

async function descriptionOf(bytes: Buffer): Promise<Record<string, unknown>> {
  const original = await readOriginal(sharp, bytes, LIMITS);
  const job = { settings: {}, candidates: ['json' as const], limits: LIMITS, fileName: 'x' };
  const { body } = await describeImage(sharp(bytes), original, job, { width: 5, height: 4 });
  return JSON.parse(body.toString());
}

it.each([
  ['grey', 1, 'b-w'],
  ['grey of 16 bits', 1, 'grey16'],
  ['grey and half transparent', 2, 'b-w'],
  ['of 16 bits', 3, 'rgb16'],
] as const)(
  'the description of an image names the colour of an image that is %s in sRGB',
  async (_name, channels, space) => {
    const raw = { width: 20, height: 20, channels };
    const bytes = await sharp(Buffer.alloc(400 * channels, 128), { raw })
      .toColourspace(space)
      .png()
      .toBuffer();
    // Transparent parts are shown on white.
    const primaryColor = channels === 2 ? '#bfbfbf' : '#808080';
    expect(await descriptionOf(bytes)).toMatchObject({ primaryColor, hasAlpha: channels === 2 });
  },
);

it('names the colour that most of an image has, and its format as recipes do', async () => {
  const bytes = await quadrants({ width: 64, height: 64, format: 'avif' });
  const red = { width: 64, height: 48, channels: 3 as const, background: '#c83232' };
  const patch = await sharp({ create: red }).png().toBuffer();
  const painted = await sharp(bytes)
    .composite([{ input: patch, top: 0, left: 0 }])
    .avif({ lossless: true })
    .toBuffer();
  const { format, primaryColor } = await descriptionOf(painted);
  expect(format).toBe('avif');
  expect(primaryColor).toMatch(/^#c[0-9a-f]3[0-9a-f]3[0-9a-f]$/);
});
