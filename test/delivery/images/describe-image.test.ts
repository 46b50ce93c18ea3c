// What is said of an image instead of showing it.
import { expect, it } from 'vitest';
import { describeImage } from '../../../src/delivery/images/describe-image.ts';
import { readOriginal } from '../../../src/delivery/images/original.ts';
import { sharp } from '../../helpers/fixtures/images.ts';

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
      ...{ fileName: 'x.png', format: 'png', fileSize: bytes.length, width: 50, height: 40, frames: 1 },
      ...{ hasAlpha: false, density: { width: 300, height: 300, unit: 'dpi' }, quality: 5 },
      ...{ output: { width: 5, height: 4 }, primaryColor: colour },
    });
  },
);
