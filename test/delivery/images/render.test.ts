// Real images through the rendering itself: sizes and pixels of the result against what the settings ask for.
import { describe, expect, it } from 'vitest';
import { render } from '../../../src/delivery/images/render.ts';
import type { FormatCandidate } from '../../../src/delivery/images/render-protocol.ts';
import type { ImageSettings } from '../../../src/delivery/recipes/setting-rules.ts';
import {
  colourAt,
  cornersOf,
  greyAnimation,
  metadataOf,
  quadrants,
  sharp,
} from '../../helpers/fixtures/images.ts';

const LIMITS = { maxPixels: 100_000_000, maxOutputPixels: 16_777_216, maxFrames: 60 };

const draw = (
  bytes: Buffer,
  settings: ImageSettings,
  candidates: readonly FormatCandidate[] = ['png'],
  limits: Partial<typeof LIMITS> = {},
) =>
  render(
    sharp,
    bytes,
    { settings, candidates, limits: { ...LIMITS, ...limits }, fileName: 'photo.png' },
    async () => undefined,
  );

const SHOWN = ['red', 'green', 'yellow', 'blue'];

describe('the rendering of a variant', () => {
  const SIZES: readonly [ImageSettings, string][] = [
    [{ width: 400, height: 400, resizeStyle: 'aspectfit' }, '400x300'],
    [{ width: 400, height: 400, resizeStyle: 'aspectfill' }, '400x400'],
    [{ width: 400, height: 400 }, '400x400'],
    [{ width: 400, height: 400, resizeStyle: 'fill' }, '400x400'],
    [{ width: 400, height: 400, resizeStyle: 'entropy' }, '400x400'],
    [{ width: 400, height: 400, resizeStyle: 'crop' }, '400x400'],
    [{ resizeStyle: 'crop', crop: [50, 50, 200, 200] }, '150x150'],
    [{ resizeStyle: 'crop', crop: [0, 225] }, '350x600'],
    [{ width: 400 }, '400x300'],
    [{ height: 300, devicePixelRatio: 1.5 }, '600x450'],
    [{ width: 320, ratio: 16 / 9 }, '320x180'],
    [{ width: 3000 }, '800x600'],
    [{ width: 1600, enlarge: true }, '1600x1200'],
    [{ cropX: 10, cropY: 20, width: 100, height: 50 }, '100x50'],
    [{ rotate: 90, width: 400 }, '300x400'],
    [{ rotate: 45 }, '990x990'],
    [{ blur: 2, sharpen: 1, saturate: 0.5, width: 80 }, '80x60'],
  ];
  it.each(SIZES)('with %j turns an image of 800×600 into one of %s', async (settings, size) => {
    const source = await quadrants({ width: 800, height: 600 });
    const { info, body } = await draw(source, settings);
    const { width, height } = await metadataOf(body);
    expect(`${width}x${height}`).toBe(size);
    expect(`${info.width}x${info.height}`).toBe(size);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'shows orientation %i as a viewer would, and drops it',
    async (orientation) => {
      const source = await quadrants({ width: 200, height: 100, format: 'jpeg', orientation });
      const expected = await cornersOf(await sharp(source).autoOrient().png().toBuffer());
      const { body } = await draw(source, { width: 50 });
      expect(await cornersOf(body)).toEqual(expected);
      expect((await metadataOf(source)).exif).toBeDefined();
      expect(await metadataOf(body)).not.toHaveProperty('exif');
      const upper = await draw(source, { resizeStyle: 'crop', crop: [0, 0, 20, 20] });
      expect(await colourAt(upper.body, 10, 10)).toBe(expected[0]);
    },
  );

  it.each([1, 6])('cuts at the gravity of the image as shown, orientation %i', async (orientation) => {
    const source = await quadrants({ width: 200, height: 100, format: 'jpeg', orientation });
    const shown = await cornersOf(await sharp(source).autoOrient().png().toBuffer());
    const at = async (gravity: ImageSettings['gravity']) =>
      cornersOf((await draw(source, { width: 40, height: 40, gravity: gravity ?? 'center' })).body);
    const isWide = orientation === 1;
    expect(await at(isWide ? 'west' : 'north')).toEqual(
      isWide ? [shown[0], shown[0], shown[3], shown[3]] : [shown[0], shown[1], shown[1], shown[0]],
    );
    expect(await at('southeast')).toEqual(
      isWide ? [shown[1], shown[1], shown[2], shown[2]] : [shown[3], shown[2], shown[2], shown[3]],
    );
    expect(await at('center')).toEqual(shown);
  });

  it.each([
    [{ flip: 'x' }, ['green', 'red', 'blue', 'yellow']],
    [{ flip: 'y' }, ['blue', 'yellow', 'green', 'red']],
    [{ flip: 'xy' }, ['yellow', 'blue', 'red', 'green']],
    [{ rotate: 90 }, ['blue', 'red', 'green', 'yellow']],
    [{ rotate: -90 }, ['green', 'yellow', 'blue', 'red']],
    [{ rotate: 180 }, ['yellow', 'blue', 'red', 'green']],
    [{ flip: 'x', rotate: 90 }, ['yellow', 'green', 'red', 'blue'].toReversed()],
  ] as const)('turns the quadrants by %j', async (settings, corners) => {
    const source = await quadrants({ width: 120, height: 80 });
    const { body } = await draw(source, { ...settings, width: 60, height: 40 });
    if ('flip' in settings && 'rotate' in settings) {
      const flopped = await sharp(source).flop().png().toBuffer();
      const expected = await sharp(flopped).rotate(90).png().toBuffer();
      expect(await cornersOf(body)).toEqual(await cornersOf(expected));
    } else expect(await cornersOf(body)).toEqual(corners);
  });

  it('keeps animations where the setting and the format allow it', async () => {
    const source = await greyAnimation(40, 30, 5);
    const still = await draw(source, { width: 20 }, ['webp']);
    expect((await metadataOf(still.body)).pages ?? 1).toBe(1);
    const moving = await draw(source, { width: 20, animated: true }, ['avif', 'webp', 'compatible']);
    expect(await metadataOf(moving.body)).toMatchObject({ format: 'webp', pages: 5, width: 20 });
    expect(moving.info).toMatchObject({ width: 20, height: 15 });
    const short = await draw(source, { animated: true, width: 20, height: 20 }, ['gif'], { maxFrames: 3 });
    expect(await metadataOf(short.body)).toMatchObject({ format: 'gif', pages: 3, height: 20 });
  });

  it.each([
    ['is turned', { rotate: 90 }, ['webp']],
    ['is turned by an odd angle', { rotate: 10 }, ['webp']],
    ['gets a format that does not move', {}, ['png']],
  ] as const)('keeps the first frame of an animation that %s', async (_why, settings, candidates) => {
    const source = await greyAnimation(40, 30, 5);
    const { body } = await draw(source, { ...settings, animated: true }, candidates);
    expect((await metadataOf(body)).pages ?? 1).toBe(1);
  });

  it('takes the colours away with a saturation of 0, and leaves them with 1', async () => {
    const source = await quadrants({ width: 40, height: 40 });
    const { channels } = await sharp((await draw(source, { saturate: 0 })).body).stats();
    expect(channels.every(({ mean }) => mean === channels[0]?.mean)).toBe(true);
    expect(await cornersOf((await draw(source, { saturate: 1 })).body)).toEqual(SHOWN);
  });

  it('refuses an image that ends in the middle', async () => {
    const photo = await quadrants({ width: 800, height: 600, format: 'jpeg' });
    const half = draw(photo.subarray(0, photo.length / 2), { width: 40 });
    await expect(half).rejects.toMatchObject({ reason: 'invalid', message: 'Image data is invalid' });
  });

  it('counts all frames of an animation as pixels', async () => {
    const source = await greyAnimation(40, 30, 50);
    const refusal = draw(source, { width: 20 }, ['webp'], { maxPixels: 40 * 30 * 49 });
    await expect(refusal).rejects.toMatchObject({ reason: 'too-large' });
  });

  it.each([
    ['jpg', 'jpeg'],
    ['png', 'png'],
    ['webp', 'webp'],
    ['avif', 'heif'],
    ['gif', 'gif'],
  ] as const)('writes %s and reads it again', async (format, name) => {
    const { body, info } = await draw(await quadrants({ width: 80, height: 60 }), { width: 40 }, [format]);
    expect((await metadataOf(body)).format).toBe(name);
    const again = await draw(body, { width: 20 }, ['source']);
    expect(again.info.contentType).toBe(info.contentType);
    expect(await cornersOf(again.body)).toEqual(SHOWN);
  });

  it('fills transparent parts where the format has none', async () => {
    const clear = { width: 20, height: 20, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } };
    const source = await sharp({ create: clear }).png().toBuffer();
    expect(await colourAt((await draw(source, {}, ['jpg'])).body, 5, 5)).toBe('white');
    const red = await draw(source, { background: '#dc1e1e' }, ['jpg']);
    expect(await colourAt(red.body, 5, 5)).toBe('red');
    expect(await metadataOf((await draw(source, {}, ['compatible'])).body)).toMatchObject({
      format: 'png',
      hasAlpha: true,
    });
  });

  it('turns colours of another profile into sRGB and drops the profile', async () => {
    const source = await sharp(await quadrants({ width: 40, height: 40 }))
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const { body } = await draw(source, { width: 20 });
    expect((await metadataOf(body)).icc).toBeUndefined();
    // The same bytes without the conversion would be about 203, 53, 45.
    const [red, green, blue] = await sharp(body).raw().toBuffer();
    expect([red! - 220, green! - 30, blue! - 30].every((off) => Math.abs(off) < 5)).toBe(true);
  });

  it('describes an image for json', async () => {
    const { info, body } = await draw(await quadrants({ width: 80, height: 60 }), { width: 40 }, ['json']);
    expect(info.contentType).toMatch(/^application\/json/);
    expect(JSON.parse(body.toString())).toMatchObject({
      fileName: 'photo.png',
      format: 'png',
      width: 80,
      height: 60,
      output: { width: 40, height: 30 },
      primaryColor: expect.stringMatching(/^#[0-9a-f]{6}$/),
    });
  });

  it('refuses a rectangle outside the image, and results over the limits', async () => {
    const source = await quadrants({ width: 80, height: 60 });
    await expect(draw(source, { resizeStyle: 'crop', crop: [0, 0, 61, 20] })).rejects.toMatchObject({
      reason: 'crop',
    });
    const large = draw(source, { width: 400, enlarge: true }, ['png'], { maxOutputPixels: 400 * 300 - 1 });
    await expect(large).rejects.toMatchObject({ reason: 'too-large' });
    const wide = draw(source, { width: 16_384, height: 10, enlarge: true, resizeStyle: 'fill' }, ['webp']);
    await expect(wide).rejects.toMatchObject({ reason: 'too-large' });
  });
});
