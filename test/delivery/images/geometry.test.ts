// The arithmetic of every style against sizes and rectangles worked out by hand.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CropError, formatSize, type Geometry, planGeometry } from '../../../src/delivery/images/geometry.ts';
import { GRAVITIES, type ImageSettings, RESIZE_STYLES } from '../../../src/delivery/recipes/setting-rules.ts';

const SOURCE = { width: 800, height: 600 };

describe('the geometry of a variant', () => {
  const CASES: readonly [string, ImageSettings, Omit<Geometry, 'size'>, string][] = [
    ['nothing asked for', {}, {}, '800×600'],
    ['a pixel ratio alone', { devicePixelRatio: 2 }, {}, '800×600'],
    ['one dimension fits', { width: 400 }, { scale: { width: 400, height: 300 } }, '400×300'],
    ['the other dimension fits', { height: 150 }, { scale: { width: 200, height: 150 } }, '200×150'],
    ['fractions are truncated', { width: 333 }, { scale: { width: 333, height: 249 } }, '333×249'],
    [
      'never below one pixel',
      { resizeStyle: 'aspectfit', width: 1 },
      { scale: { width: 1, height: 1 } },
      '1×1',
    ],
    [
      'aspectfit stays inside',
      { width: 400, height: 400, resizeStyle: 'aspectfit' },
      { scale: { width: 400, height: 300 } },
      '400×300',
    ],
    [
      'aspectfill cuts at the upper left without a gravity',
      { width: 400, height: 400 },
      { scale: { width: 533, height: 400 }, trim: { left: 0, top: 0, width: 400, height: 400 } },
      '400×400',
    ],
    [
      'aspectfill cuts at its gravity',
      { width: 400, height: 400, gravity: 'southeast' },
      { scale: { width: 533, height: 400 }, trim: { left: 133, top: 0, width: 400, height: 400 } },
      '400×400',
    ],
    [
      'aspectfill with one dimension takes the other of the original',
      { width: 400, resizeStyle: 'aspectfill', gravity: 'center' },
      { trim: { left: 200, top: 0, width: 400, height: 600 } },
      '400×600',
    ],
    [
      'aspectfill of the same shape cuts nothing',
      { width: 400, height: 300 },
      { scale: { width: 400, height: 300 } },
      '400×300',
    ],
    [
      'aspectfill of a larger box keeps its shape and does not enlarge',
      { width: 1600, height: 1600, gravity: 'center' },
      { trim: { left: 100, top: 0, width: 600, height: 600 } },
      '600×600',
    ],
    [
      'aspectfill enlarges when told to',
      { width: 1600, height: 1600, enlarge: true, gravity: 'center' },
      { cut: { left: 100, top: 0, width: 600, height: 600 }, scale: { width: 1600, height: 1600 } },
      '1600×1600',
    ],
    [
      'fill stretches',
      { width: 400, height: 400, resizeStyle: 'fill' },
      { scale: { width: 400, height: 400 } },
      '400×400',
    ],
    [
      'entropy leaves the choice to the library',
      { width: 400, height: 400, resizeStyle: 'entropy' },
      { scale: { width: 400, height: 400 }, entropy: true },
      '400×400',
    ],
    [
      'the ratio gives the missing height',
      { width: 320, ratio: 16 / 9 },
      { scale: { width: 320, height: 240 }, trim: { left: 0, top: 0, width: 320, height: 180 } },
      '320×180',
    ],
    [
      'the ratio gives the missing width',
      { height: 180, ratio: 16 / 9, enlarge: true },
      { scale: { width: 320, height: 240 }, trim: { left: 0, top: 0, width: 320, height: 180 } },
      '320×180',
    ],
    [
      'the ratio alone is the largest box',
      { ratio: 1, gravity: 'east' },
      { trim: { left: 200, top: 0, width: 600, height: 600 } },
      '600×600',
    ],
    [
      'crop with four sides',
      { crop: [50, 50, 200, 200] },
      { cut: { left: 50, top: 50, width: 150, height: 150 } },
      '150×150',
    ],
    [
      'crop with two sides is an inset',
      { crop: [0, 225] },
      { cut: { left: 225, top: 0, width: 350, height: 600 } },
      '350×600',
    ],
    [
      'crop alone gives the piece times the pixel ratio, where it may be enlarged',
      { crop: [50, 50, 200, 200], devicePixelRatio: 2, enlarge: true },
      { cut: { left: 50, top: 50, width: 150, height: 150 }, scale: { width: 300, height: 300 } },
      '300×300',
    ],
    [
      'crop alone gives the piece as it is, where it may not be enlarged',
      { crop: [50, 50, 200, 200], devicePixelRatio: 2 },
      { cut: { left: 50, top: 50, width: 150, height: 150 } },
      '150×150',
    ],
    [
      'crop scales the piece in proportion',
      { crop: [0, 0, 200, 400], width: 100 },
      { cut: { left: 0, top: 0, width: 400, height: 200 }, scale: { width: 100, height: 50 } },
      '100×50',
    ],
    [
      'crop stretches the piece to both dimensions times the pixel ratio',
      { crop: [0, 0, 200, 400], width: 50, height: 50, devicePixelRatio: 2 },
      { cut: { left: 0, top: 0, width: 400, height: 200 }, scale: { width: 100, height: 100 } },
      '100×100',
    ],
    [
      'crop without sides is the centre',
      { width: 400, height: 400, resizeStyle: 'crop' },
      { cut: { left: 200, top: 100, width: 400, height: 400 } },
      '400×400',
    ],
    ['crop without sides and dimensions is everything', { resizeStyle: 'crop' }, {}, '800×600'],
    ['entropy of the size that it has chooses nothing', { ...SOURCE, resizeStyle: 'entropy' }, {}, '800×600'],
    [
      'cropX and cropY cut without scaling',
      { cropX: 10, cropY: 20, width: 790, height: 580 },
      { cut: { left: 10, top: 20, width: 790, height: 580 } },
      '790×580',
    ],
    [
      'cropX and cropY that are both 0 are not set',
      { cropX: 0, cropY: 0, width: 400, height: 300 },
      { scale: { width: 400, height: 300 } },
      '400×300',
    ],
    [
      'the pixel ratio multiplies both',
      { width: 200, height: 150, devicePixelRatio: 2 },
      { scale: { width: 400, height: 300 } },
      '400×300',
    ],
  ];
  it.each(CASES)('is right for %s', (_name, settings, steps, size) => {
    const geometry = planGeometry(SOURCE, settings);
    expect(formatSize(geometry.size)).toBe(size);
    expect(geometry).toEqual({ ...steps, size: geometry.size });
  });

  it.each<[string, ImageSettings]>([
    ['a side beyond the image', { crop: [0, 0, 601, 100] }],
    ['sides that cross', { crop: [100, 100, 50, 50] }],
    ['a centre that is larger', { resizeStyle: 'crop', width: 801, height: 10 }],
    ['a corner that leaves too little', { cropX: 700, width: 101 }],
  ])('rejects %s', (_name, settings) => {
    expect(() => planGeometry(SOURCE, settings)).toThrow(CropError);
  });

  it('stays within the image, is never empty, and enlarges only where the settings say so', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    const settings = fc.record(
      {
        width: side,
        height: side,
        ratio: fc.double({ min: 0.01, max: 100, noNaN: true }),
        devicePixelRatio: fc.double({ min: 1, max: 3, noNaN: true }),
        gravity: fc.constantFrom(...GRAVITIES),
        resizeStyle: fc.constantFrom(...RESIZE_STYLES.filter((style) => style !== 'crop')),
        enlarge: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.record({ width: side, height: side }), settings, (source, wanted) => {
        const { cut, scale, trim, size } = planGeometry(source, wanted);
        const steps = [source, cut, scale, trim].filter((step) => step !== undefined);
        for (const { width, height } of [...steps, size]) {
          expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
          expect(Number.isInteger(width) && Number.isInteger(height)).toBe(true);
        }
        for (const [part, room] of [
          [cut, source],
          [trim, scale ?? source],
        ] as const) {
          if (part === undefined) continue;
          expect(Math.min(part.left, part.top)).toBeGreaterThanOrEqual(0);
          expect(part.left + part.width).toBeLessThanOrEqual(room.width);
          expect(part.top + part.height).toBeLessThanOrEqual(room.height);
        }
        expect(steps.at(-1)).toMatchObject(size);
        if (wanted.enlarge === true) return;
        expect(size.width).toBeLessThanOrEqual(source.width);
        expect(size.height).toBeLessThanOrEqual(source.height);
      }),
    );
  });
});
