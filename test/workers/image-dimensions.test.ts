import sharp from 'sharp';
import { describe, expect, it, test } from 'vitest';
import { dimensionsInHeader, imageDimensions } from '../../src/workers/image-dimensions.ts';
import { bmp, encodedAnimation, noise, picture, tiffBlock } from '../helpers/fixtures/images.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

const NO_TAIL = new Uint8Array(0);
const dimensionsOf = (head: Uint8Array, size = head.length, isPart = false) => {
  const found = imageDimensions({ head, tail: NO_TAIL, size, isPart });
  if (found === 'incomplete') throw new Error('the file is not incomplete');
  return found;
};

async function samples(): Promise<readonly Buffer[]> {
  return Promise.all([
    picture(40, 30, (image) => image.png().withMetadata({ orientation: 6 })),
    picture(40, 30, (image) => image.jpeg().withMetadata({ orientation: 6 })),
    picture(40, 30, (image) => image.gif()),
    picture(40, 30, (image) => image.webp()),
    picture(40, 30, (image) => image.webp({ lossless: true }).withMetadata({ orientation: 6 })),
    encodedAnimation(40, 30, 3, (image) => image.webp()),
    picture(40, 30, (image) => image.avif({ effort: 0 })),
    picture(40, 30, (image) => image.tiff()),
    Buffer.from('<?xml version="1.0"?><svg width="40" height="30" viewBox="0 0 40 30"><g/></svg>'),
    bmp(40, -30),
    tiffBlock({ 256: 40, 257: 30, 274: 1 }, 'MM'),
  ]);
}

const ZIP = Buffer.from('PK\x03\x04\x14\0\0\0\x08\0 and more', 'latin1');

/** Numbers that look random and are the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('image dimensions', () => {
  it('are those that a decoder finds, for every format', async ({ expect }) => {
    for (const bytes of await samples()) {
      const found = dimensionsOf(bytes);
      expect(found === undefined ? 0 : found.width * found.height).toBe(1200);
    }
  });

  it('of a photograph of 60 megapixels come from its first bytes', async ({ expect }) => {
    const bytes = await picture(10_000, 6000, (image) => image.jpeg());
    expect(dimensionsOf(bytes.subarray(0, 4096), bytes.length)).toEqual({ width: 10_000, height: 6000 });
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a ZIP file', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1')],
    ['zeros', Buffer.alloc(500_000)],
    ['a web page', Buffer.from('<!DOCTYPE html><html><svg width="1" height="1"/></html>')],
    ['a PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')],
    ['a width of zero', bmp(0, 30)],
    ['a negative width', bmp(-40, 30)],
    ['more than a million pixels a side', bmp(1_000_001, 30)],
  ])('do not exist for %s', (_, bytes) => {
    expect(dimensionsOf(bytes)).toBeUndefined();
  });

  it('are read from the image that comes first in a file that is two things', async ({ expect }) => {
    const gif = await picture(40, 30, (image) => image.gif());
    expect(dimensionsOf(Buffer.concat([gif, Buffer.from('PK\x03\x04<svg width="9" height="9"/>')]))).toEqual({
      width: 40,
      height: 30,
    });
  });

  it('are sane or none for ten thousand damaged images', async ({ expect }) => {
    const random = createRandom(20_260_101);
    const originals = await samples();
    const outcomes = { found: 0, none: 0 };
    for (let round = 0; round < 10_000; round += 1) {
      const original = originals[round % originals.length] ?? Buffer.alloc(0);
      const bytes = Buffer.from(original.subarray(0, round % 3 === 0 ? random(original.length) : undefined));
      const interesting = [0, 1, 0x7f, 0x80, 0xff, random(256)];
      for (let change = random(6); change > 0 && bytes.length > 0; change -= 1) {
        bytes[random(Math.min(bytes.length, 400))] = interesting[random(interesting.length)] ?? 0;
      }
      const size = random(4) === 0 ? random(2 ** 31) : bytes.length;
      const tail = bytes.subarray(random(bytes.length + 1));
      const found = imageDimensions({ head: bytes, tail, size, isPart: random(2) === 1 });
      if (found === undefined || found === 'incomplete') {
        outcomes.none += 1;
      } else {
        outcomes.found += 1;
        const sides = [found.width, found.height];
        if (!sides.every((side) => Number.isInteger(side) && side >= 1 && side <= 1_000_000)) {
          expect.fail(`${JSON.stringify(found)} of ${bytes.toString('hex')}`);
        }
      }
    }
    expect(Math.min(outcomes.found, outcomes.none)).toBeGreaterThan(1000);
  });

  it('are left open where more of the file could change them', async ({ expect }) => {
    const isPart = true;
    const [tail, svg] = [NO_TAIL, Buffer.from('<!-- a long comment --><svg width="40" height="30" x=""/>')];
    const turned = await picture(40, 30, (image) => image.webp().withMetadata({ orientation: 6 }));
    const plain = await picture(40, 30, (image) => image.png());
    for (const head of [
      svg.subarray(0, 10),
      svg.subarray(0, 40),
      turned.subarray(0, 40),
      plain.subarray(0, 36),
    ]) {
      expect(imageDimensions({ head, tail, size: 1000, isPart })).toBe('incomplete');
    }
    for (const head of [svg, plain]) {
      expect(imageDimensions({ head, tail, size: 1_000_000, isPart })).toEqual({ width: 40, height: 30 });
    }
    expect(imageDimensions({ head: ZIP, tail, size: 1_000_000, isPart })).toBeUndefined();
  });

  it('agree with the decoder on a turned image', async ({ expect }) => {
    const bytes = await picture(40, 30, (image) => image.jpeg().withMetadata({ orientation: 5 }));
    const { info } = await sharp(bytes).autoOrient().toBuffer({ resolveWithObject: true });
    expect(dimensionsOf(bytes)).toEqual({ width: info.width, height: info.height });
  });
});

const HEAD = 4096;
const SIZE = 1_000_000;
const headOf = (bytes: Buffer) => dimensionsInHeader(bytes.subarray(0, HEAD), bytes.length);

test.each([
  ['png', { width: 300, height: 200 }],
  ['jpeg', { width: 300, height: 200 }],
  ['gif', { width: 300, height: 200 }],
  ['webp', { width: 300, height: 200 }],
] as const)('the header of a %s tells its dimensions', async (format, dimensions) => {
  const bytes = await noise(300, 200, (image) => image.toFormat(format));
  expect(bytes.length).toBeGreaterThan(HEAD);
  expect(headOf(bytes)).toEqual(dimensions);
});

test('an image that is turned has the dimensions that are shown', async () => {
  const turned = await picture(40, 30, (image) => image.jpeg().withMetadata({ orientation: 6 }));
  expect(headOf(turned)).toEqual({ width: 30, height: 40 });
});

test('a header that ends before its dimensions, or before what may turn them, tells nothing', async () => {
  const jpeg = await noise(300, 200, (image) => image.jpeg());
  expect(dimensionsInHeader(jpeg.subarray(0, 20), jpeg.length)).toBeUndefined();
  const turned = await noise(300, 200, (image) => image.webp().withMetadata({ orientation: 6 }));
  // Its EXIF block stands behind the pixels.
  expect(headOf(turned)).toBeUndefined();
  expect(
    imageDimensions({ head: turned, tail: Buffer.alloc(0), size: turned.length, isPart: false }),
  ).toEqual({ width: 200, height: 300 });
  const png = await noise(300, 200, (image) => image.png());
  expect(dimensionsInHeader(png.subarray(0, 33), png.length)).toBeUndefined();
  expect(dimensionsInHeader(png.subarray(0, 33), 33)).toEqual({ width: 300, height: 200 });
});

test('other files, and dimensions that no image has, are left to those who read more', () => {
  const gif = Buffer.from('GIF89a\0\0\0\0', 'latin1');
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('PK\x03\x04'),
    Buffer.from('<svg width="3" height="4"/>'),
    gif,
  ])
    expect(dimensionsInHeader(bytes, bytes.length)).toBeUndefined();
});

/** Heads that make a reader take as many steps as it can. */
const WORST: Readonly<Record<string, (bytes: Buffer) => void>> = {
  'a PNG of empty chunks': (bytes) => {
    bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
    bytes.write('IHDR', 12);
  },
  'a JPEG of fill bytes': (bytes) => {
    bytes.fill(0xff)[1] = 0xd8;
  },
  'a JPEG of empty segments': (bytes) => {
    for (let at = 2; at + 4 <= bytes.length; at += 4) bytes.writeUInt32BE(0xff_e1_00_02, at);
    bytes.writeUInt16BE(0xff_d8, 0);
  },
  'a WebP of empty chunks': (bytes) => {
    bytes.write('RIFF    WEBPVP8X');
    bytes[20] = 8;
  },
};

test.each(Object.entries(WORST))('%s takes next to no time', async (_name, fill) => {
  const bytes = Buffer.alloc(HEAD);
  fill(bytes);
  const read = async () => {
    for (let count = 0; count < 100; count += 1) expect(dimensionsInHeader(bytes, SIZE)).toBeUndefined();
  };
  // A hundred of them, so that this is no measure of the machine.
  expect(await longestBlockMs(500, read)).toBeLessThan(500);
});
