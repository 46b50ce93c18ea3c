// The format of a rendered image and how it is encoded. Runs in the render process.
import type { Sharp } from 'sharp';
import type { ImageSettings, RasterFormat } from '../recipes/setting-rules.ts';
import type { ImageSize } from './geometry.ts';
import type { FormatCandidate } from './negotiate-format.ts';
import type { Original } from './original.ts';
import { RenderError } from './render-job.ts';

export const FORMAT_CONTENT_TYPES: Readonly<Record<RasterFormat, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};

/** What the formats can express. */
const MAX_SIDE: Readonly<Record<RasterFormat, number>> = {
  jpg: 65_500,
  png: 65_500,
  webp: 16_383,
  avif: 16_384,
  gif: 65_500,
};

const DEFAULT_QUALITY: Readonly<Record<'jpg' | 'webp' | 'avif', number>> = { jpg: 75, webp: 75, avif: 50 };
const ANIMATED: ReadonlySet<RasterFormat> = new Set(['webp', 'gif']);
const FROM_SHARP: Readonly<Record<string, RasterFormat>> = {
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  heif: 'avif',
};

const FIRST_AVIF_STEP = 500_000;
const SECOND_AVIF_STEP = 2_000_000;

function formatOf(candidate: FormatCandidate, { metadata }: Original): RasterFormat {
  const own = FROM_SHARP[metadata.format ?? ''] ?? 'jpg';
  if (candidate === 'source') return own;
  if (candidate !== 'compatible') return candidate === 'json' ? own : candidate;
  if (own !== 'webp' && own !== 'avif') return own;
  return metadata.hasAlpha ? 'png' : 'jpg';
}

/** The format of the result: the first candidate, or the first that can move where the frames are kept. */
export function chooseFormat(
  candidates: readonly FormatCandidate[],
  original: Original,
  animated: boolean,
): RasterFormat {
  const formats = candidates.map((candidate) => formatOf(candidate, original));
  const moving = animated ? formats.find((format) => ANIMATED.has(format)) : undefined;
  return moving ?? formats[0] ?? 'jpg';
}

export const supportsAnimation = (format: RasterFormat) => ANIMATED.has(format);

/** Throws RenderError where the format cannot hold an image of that size. */
export function assertSideLength(format: RasterFormat, { width, height }: ImageSize): void {
  const max = MAX_SIDE[format];
  if (width <= max && height <= max) return;
  throw new RenderError('too-large', `An image in the format ${format} has at most ${max} pixels a side`);
}

/** Higher efforts than these take seconds for a photograph. */
function avifEffort({ width, height }: ImageSize): number {
  const pixels = width * height;
  return pixels <= FIRST_AVIF_STEP ? 3 : pixels <= SECOND_AVIF_STEP ? 2 : 1;
}

/** Quality of PNG is its compression: 100 is the fastest and largest, as in the older server. */
const pngLevel = (quality: number) => Math.min(9, Math.max(1, Math.round(9 - 0.09 * quality)));

/** Sets the encoder. Metadata and profiles are left behind: colours are sRGB by now. */
export function encodeImage(
  image: Sharp,
  format: RasterFormat,
  settings: ImageSettings,
  size: ImageSize,
): Sharp {
  const { progressive = false, background = '#ffffff' } = settings;
  switch (format) {
    case 'jpg':
      return image
        .flatten({ background })
        .jpeg({ quality: Math.round(settings.quality ?? DEFAULT_QUALITY.jpg), progressive });
    case 'png':
      return image.png(
        settings.quality === undefined ? {} : { compressionLevel: pngLevel(settings.quality) },
      );
    case 'webp':
      return image.webp({ quality: Math.round(settings.quality ?? DEFAULT_QUALITY.webp) });
    case 'avif':
      return image.avif({
        quality: Math.round(settings.quality ?? DEFAULT_QUALITY.avif),
        effort: avifEffort(size),
      });
    case 'gif':
      return image.gif({ effort: 4 });
  }
}
