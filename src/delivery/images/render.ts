// Renders one image: header, limits, geometry, effects, encoding. Runs in the render process; the only user of sharp.
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageSettings, RasterFormat } from '../recipes/setting-rules.ts';
import { describeImage } from './describe-image.ts';
import { CropError, formatSize, type Geometry, type ImageSize, planGeometry } from './geometry.ts';
import { composeRotation, isRotated, type RotationPlan, toStoredGeometry } from './orientation.ts';
import { type Original, readOriginal, type SharpFunction } from './original.ts';
import { type FormatCandidate, RenderError, type RenderJob, type RenderResult } from './render-protocol.ts';

/** Waits until so many bytes may be used for decoding. Throws RenderError when there will never be as many. */
type Reserve = (bytes: number) => Promise<void>;

const OUTPUT_BYTES_PER_PIXEL = 6;

function planFor(shown: ImageSize, settings: ImageSettings): Geometry {
  try {
    return planGeometry(shown, settings);
  } catch (error) {
    if (error instanceof CropError) throw new RenderError('crop', error.message);
    throw error;
  }
}

/** The size once turned by the settings; that of the corners included where the angle is odd. */
function finalSize(size: ImageSize, { angle, odd }: RotationPlan): ImageSize {
  const isSideways = angle % 180 === 90;
  const turned = isSideways ? { width: size.height, height: size.width } : size;
  if (odd === 0) return turned;
  const radians = (odd * Math.PI) / 180;
  const [sin, cos] = [Math.abs(Math.sin(radians)), Math.abs(Math.cos(radians))];
  return {
    width: Math.ceil(turned.width * cos + turned.height * sin),
    height: Math.ceil(turned.width * sin + turned.height * cos),
  };
}

function resized(image: Sharp, { cut, scale, trim, entropy }: Geometry): Sharp {
  if (cut !== undefined) image.extract(cut);
  if (scale !== undefined) {
    image.resize({ ...scale, fit: entropy ? 'cover' : 'fill', ...(entropy && { position: 'entropy' }) });
  }
  if (trim !== undefined) image.extract(trim);
  return image;
}

async function throughMemory(sharp: SharpFunction, image: Sharp): Promise<Sharp> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
}

async function rotated(sharp: SharpFunction, image: Sharp, plan: RotationPlan, background: object | string) {
  let current = image;
  if (isRotated(plan)) {
    current = await throughMemory(sharp, current.toColourspace('srgb'));
    // sharp mirrors before it turns, whichever is called first; the plan turns before it mirrors.
    if (plan.mirror) current.flop();
    if (plan.angle !== 0) current.rotate(plan.mirror ? 360 - plan.angle : plan.angle);
  }
  if (plan.odd !== 0) {
    current = await throughMemory(sharp, current.toColourspace('srgb').ensureAlpha());
    current.rotate(plan.odd, { background });
  }
  return current;
}

function withEffects(image: Sharp, { blur, sharpen, saturate }: ImageSettings): Sharp {
  if (blur !== undefined) image.blur(blur);
  if (saturate === 0) image.greyscale();
  else if (saturate !== undefined && saturate !== 1) image.modulate({ saturation: saturate });
  if (sharpen !== undefined) image.sharpen({ sigma: sharpen });
  return image;
}

const FORMAT_CONTENT_TYPES: Readonly<Record<RasterFormat, string>> = {
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

/** How many pages of the original (frames of its animation) go into the result. */
function pagesOf(original: Original, job: RenderJob, plan: RotationPlan): number {
  const { settings, limits } = job;
  if (settings.animated !== true || original.pages === 1) return 1;
  const format = chooseFormat(job.candidates, original, true);
  return ANIMATED.has(format) && !isRotated(plan) && plan.odd === 0
    ? Math.min(original.pages, limits.maxFrames)
    : 1;
}

/** Renders. Throws RenderError. */
export async function render(
  sharp: SharpFunction,
  bytes: Buffer,
  job: RenderJob,
  reserve: Reserve,
): Promise<RenderResult> {
  const { settings, limits } = job;
  const original = await readOriginal(sharp, bytes, limits);
  const plan = composeRotation(original.rotation, settings);
  const pages = pagesOf(original, job, plan);
  const format = chooseFormat(job.candidates, original, pages > 1);
  const geometry = planFor(original.shown, settings);
  const size = finalSize(geometry.size, composeRotation({ angle: 0, mirror: false }, settings));
  const pixels = size.width * size.height;
  if (pixels > limits.maxOutputPixels || pixels * pages > limits.maxPixels) {
    const message = `An image of ${formatSize(size)} has more than ${limits.maxOutputPixels} pixels`;
    throw new RenderError('too-large', message);
  }
  const height = size.height * pages;
  assertSideLength(format, pages > 1 && format === 'gif' ? { ...size, height } : size);
  await reserve(original.decodingBytes + pixels * OUTPUT_BYTES_PER_PIXEL);

  const options: SharpOptions = {
    limitInputPixels: limits.maxPixels,
    failOn: 'error',
    sequentialRead: true,
    ...(pages > 1 && { pages }),
  };
  try {
    const image = sharp(bytes, options);
    // A background has three colours: of grey, only the first would be used.
    if (original.metadata.channels === 2) image.pipelineColourspace('srgb');
    if (job.candidates[0] === 'json') return await describeImage(image, original, job, size);
    resized(image, toStoredGeometry(geometry, original.shown, original.rotation));
    const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
    const background = settings.background ?? (format === 'jpg' ? '#ffffff' : transparent);
    const upright = withEffects(await rotated(sharp, image, plan, background), settings);
    const { data, info } = await encodeImage(upright, format, settings, size).toBuffer({
      resolveWithObject: true,
    });
    const shownHeight = info.pageHeight ?? info.height;
    return {
      info: { contentType: FORMAT_CONTENT_TYPES[format], width: info.width, height: shownHeight },
      body: data,
    };
  } catch (error) {
    if (error instanceof RenderError) throw error;
    // Headers lie: what the library cannot decode is no image, whatever it says about it.
    throw new RenderError('invalid', 'Image data is invalid');
  }
}
