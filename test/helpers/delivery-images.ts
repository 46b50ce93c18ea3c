// Real images for tests: four quadrants of clear colours, and what colour a rendered image has at a place.
import sharp from 'sharp';

const COLOURS = {
  red: [220, 30, 30],
  green: [30, 200, 30],
  blue: [30, 30, 220],
  yellow: [230, 220, 30],
  white: [255, 255, 255],
  black: [0, 0, 0],
} as const;

export type Colour = keyof typeof COLOURS;

export interface QuadrantOptions {
  readonly width: number;
  readonly height: number;
  readonly format?: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif';
  readonly orientation?: number;
}

/** Red, green in the upper half, blue, yellow in the lower one. */
export async function quadrants({
  width,
  height,
  format = 'png',
  orientation,
}: QuadrantOptions): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [left, right] = y < height / 2 ? (['red', 'green'] as const) : (['blue', 'yellow'] as const);
      pixels.set(COLOURS[x < width / 2 ? left : right], (y * width + x) * 3);
    }
  }
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  if (orientation !== undefined) image.withMetadata({ orientation });
  return image
    .toFormat(format, format === 'jpeg' ? { quality: 95, chromaSubsampling: '4:4:4' } : {})
    .toBuffer();
}

/** `frames` frames of one size, each of another grey. */
export function animation(width: number, height: number, frames: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * frames * 3);
  for (let frame = 0; frame < frames; frame += 1) {
    const length = width * height * 3;
    pixels.fill((frame * 37) % 256, frame * length, (frame + 1) * length);
  }
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
    .gif({ delay: Array.from({ length: frames }, () => 100) })
    .toBuffer();
}

/** The named colour nearest to the pixel. */
export async function colourAt(image: Buffer, x: number, y: number): Promise<Colour> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  const [red = 0, green = red, blue = red] = data.subarray(at, at + info.channels);
  const distance = ([r, g, b]: readonly [number, number, number]) =>
    (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  const names = Object.keys(COLOURS) as Colour[];
  return names.toSorted((a, b) => distance(COLOURS[a]) - distance(COLOURS[b]))[0]!;
}

/** The colours of the four corners, from the upper left one clockwise. */
export async function cornersOf(image: Buffer): Promise<readonly Colour[]> {
  const { width, height } = await sharp(image).metadata();
  const [x, y] = [Math.floor(width / 10), Math.floor(height / 10)];
  const places = [
    [x, y],
    [width - 1 - x, y],
    [width - 1 - x, height - 1 - y],
    [x, height - 1 - y],
  ] as const;
  return Promise.all(places.map(([left, top]) => colourAt(image, left, top)));
}

export const metadataOf = (image: Buffer) => sharp(image).metadata();
export { sharp };
