// Pixels of one colour and transparency, in every kind of original, against the same pixels in the plainest kind: whatever the
// settings do to them, the results are the same.
import { beforeAll, describe, expect, it } from 'vitest';
import { render } from '../../../src/delivery/images/render.ts';
import type { ImageSettings, RasterFormat } from '../../../src/delivery/recipes/setting-rules.ts';
import { sharp } from '../../helpers/fixtures/images.ts';

const WIDTH = 24;
const HEIGHT = 18;
const GREY = 64;
const ALPHA = 128;
/** Decoders and encoders round; lossy formats do more of it. */
const MAX_DIFFERENCE = 3;
const MAX_LOSSY_DIFFERENCE = 6;

type Samples = readonly number[];

/** One colour everywhere. 257 times a sample of 8 bits is the same one of 16. */
const plain = (samples: Samples, depth: 8 | 16) => {
  const channels = samples.length as 1 | 2 | 3 | 4;
  const values = Array.from({ length: WIDTH * HEIGHT }, () => samples).flat();
  const data = depth === 8 ? Buffer.from(values) : new Uint16Array(values.map((value) => value * 257));
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels } });
};

const RGB = [GREY, GREY, GREY];
const ORIGINALS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'grey with alpha, 8 bit': () => plain([GREY, ALPHA], 8).toColourspace('b-w').png().toBuffer(),
  'grey with alpha, 16 bit': () => plain([GREY, ALPHA], 16).toColourspace('grey16').png().toBuffer(),
  'colours with alpha, 16 bit': () =>
    plain([...RGB, ALPHA], 16)
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
  'interlaced grey with alpha': () =>
    plain([GREY, ALPHA], 8).toColourspace('b-w').png({ progressive: true }).toBuffer(),
  'a palette with alpha': () =>
    plain([...RGB, ALPHA], 8)
      .png({ palette: true })
      .toBuffer(),
  'WebP with alpha': () =>
    plain([...RGB, ALPHA], 8)
      .webp({ lossless: true })
      .toBuffer(),
  'AVIF with alpha': () =>
    plain([...RGB, ALPHA], 8)
      .avif({ lossless: true })
      .toBuffer(),
  'grey, 8 bit': () => plain([GREY], 8).toColourspace('b-w').png().toBuffer(),
  'grey, 16 bit': () => plain([GREY], 16).toColourspace('grey16').png().toBuffer(),
  'colours, 16 bit': () => plain(RGB, 16).toColourspace('rgb16').png().toBuffer(),
  'a palette': () => plain(RGB, 8).png({ palette: true }).toBuffer(),
  'a grey JPEG': () => plain([GREY], 8).toColourspace('b-w').jpeg({ quality: 100 }).toBuffer(),
  'a GIF': () => plain(RGB, 8).gif().toBuffer(),
};

const CASES: readonly (readonly [string, ImageSettings, RasterFormat])[] = [
  ['as JPEG on a colour', { background: '#00ff00' }, 'jpg'],
  ['as JPEG on another colour, smaller', { background: '#ff0000', width: 12 }, 'jpg'],
  ['as JPEG without a background', {}, 'jpg'],
  ['as JPEG turned by an odd angle', { background: '#0000ff', rotate: 45 }, 'jpg'],
  ['as PNG turned by an odd angle on a colour', { background: '#00ff00', rotate: 30 }, 'png'],
  ['as PNG turned by an odd angle', { rotate: 30 }, 'png'],
  ['as WebP turned by a right angle', { rotate: 90, background: '#00ff00' }, 'webp'],
  ['as JPEG turned and mirrored', { rotate: 90, flip: 'x', background: '#00ff00' }, 'jpg'],
  ['as JPEG without its colours', { background: '#00ff00', saturate: 0 }, 'jpg'],
  ['as PNG without its colours', { saturate: 0 }, 'png'],
  ['as JPEG with more colour', { background: '#00ff00', saturate: 1.5 }, 'jpg'],
  ['as PNG with more colour', { saturate: 1.5 }, 'png'],
  ['as JPEG, blurred and sharpened', { background: '#00ff00', blur: 2, sharpen: 1 }, 'jpg'],
  ['as GIF', { background: '#00ff00' }, 'gif'],
  ['as AVIF', { background: '#00ff00' }, 'avif'],
  ['as PNG, cut out and enlarged', { width: 48, height: 48, enlarge: true }, 'png'],
];

const LIMITS = { maxPixels: 1e6, maxOutputPixels: 1e6, maxFrames: 1 };

/** Red, green, blue and alpha of the pixel in the middle and of the one in the corner. */
async function pixelsOf(bytes: Buffer, settings: ImageSettings, format: RasterFormat): Promise<number[]> {
  const job = { settings, candidates: [format], limits: LIMITS, fileName: 'a' };
  const { body } = await render(sharp, bytes, job, async () => undefined);
  const { data, info } = await sharp(body)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const middle = ((info.height >> 1) * info.width + (info.width >> 1)) * 4;
  return [...data.subarray(middle, middle + 4), ...data.subarray(0, 4)];
}

/** What cannot be seen has no colour. */
const seen = (pixels: readonly number[]) =>
  [pixels.slice(0, 4), pixels.slice(4)].flatMap(([r = 0, g = 0, b = 0, a = 0]) =>
    a === 0 ? [0, 0, 0, 0] : [r, g, b, a],
  );

const LOSSY: ReadonlySet<string> = new Set(['jpg', 'webp', 'avif', 'gif']);
const originals = new Map<string, Buffer>();

beforeAll(async () => {
  for (const [name, make] of Object.entries(ORIGINALS)) originals.set(name, await make());
  originals.set(
    'colours with alpha',
    await plain([...RGB, ALPHA], 8)
      .png()
      .toBuffer(),
  );
  originals.set('colours', await plain(RGB, 8).png().toBuffer());
});

describe.each(CASES)('an original %s', (_case, settings, format) => {
  it.each(Object.keys(ORIGINALS))('has the same pixels where it is of the kind: %s', async (kind) => {
    const plainest = kind.includes('alpha') ? 'colours with alpha' : 'colours';
    const expected = seen(await pixelsOf(originals.get(plainest) as Buffer, settings, format));
    const pixels = seen(await pixelsOf(originals.get(kind) as Buffer, settings, format));
    const isLossy = LOSSY.has(format) || kind === 'a grey JPEG';
    const differences = pixels.map((value, at) => Math.abs(value - (expected[at] as number)));
    const most = isLossy ? MAX_LOSSY_DIFFERENCE : MAX_DIFFERENCE;
    expect(Math.max(...differences), `${pixels} instead of ${expected}`).toBeLessThanOrEqual(most);
  });
});

it('a transparent pixel of grey is blended with the background, not replaced by it or by its brightness', async () => {
  for (const kind of ['colours with alpha', 'grey with alpha, 8 bit', 'grey with alpha, 16 bit']) {
    const pixels = await pixelsOf(originals.get(kind) as Buffer, { background: '#00ff00' }, 'jpg');
    const expected = [32, 159, 32].map((value) => expect.closeTo(value, -1));
    expect(pixels.slice(0, 3)).toEqual(expected);
  }
});
