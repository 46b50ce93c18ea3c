// The original of a rendering as its header describes it, before a pixel is decoded. Runs in the render process.
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { formatSize, type ImageSize } from './geometry.ts';
import { type Rotation, rotateSize, rotationOf } from './orientation.ts';
import { RenderError, type RenderLimits } from './render-job.ts';
import { jpegMetadataBytes } from './source-metadata.ts';

/** `sharp` itself, which is loaded on first use. */
export type SharpFunction = (input: Buffer, options?: SharpOptions) => Sharp;

export interface Original {
  readonly metadata: Metadata;
  /** Of one page, as stored. */
  readonly stored: ImageSize;
  /** Of one page, as shown. */
  readonly shown: ImageSize;
  readonly rotation: Rotation;
  /** Frames of an animation, or pages of a document; 1 for a plain image. */
  readonly pages: number;
  /** What decoding holds at once, in bytes: an estimate from above. */
  readonly decodingBytes: number;
}

/** What sharp calls the formats that are read. */
const FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'gif', 'heif']);
const ROWS_IN_FLIGHT = 1024;

/** Of a JPEG. Profiles of printers have a few megabytes. */
const MAX_METADATA_BYTES = 16 * 1024 * 1024;

const INVALID = 'Image data is invalid';

/** SVG would be drawn by a library that follows references; anything else unknown is not tried either. */
function isKnown(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 12);
  return (
    start.startsWith('\xff\xd8\xff') ||
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('GIF8') ||
    (start.startsWith('RIFF') && start.endsWith('WEBP')) ||
    start.slice(4, 8) === 'ftyp'
  );
}

/** Bytes that decoding holds for each pixel of a page, measured; 0 where it goes row by row. */
function bytesPerPixel({ format, isProgressive, chromaSubsampling, depth }: Metadata, bytes: Buffer): number {
  switch (format) {
    case 'jpeg':
      // A progressive one is held whole, as coefficients of two bytes.
      return isProgressive ? (chromaSubsampling === '4:2:0' ? 4 : 7) : 0;
    case 'png':
      return isProgressive ? (depth === 'uchar' ? 5 : 10) : 0;
    case 'webp':
      // One that is lossy and nothing else is scaled while it is decoded.
      return bytes.toString('latin1', 12, 16) === 'VP8 ' ? 2 : 5;
    case 'gif':
      return 8;
    default:
      return 20;
  }
}

/** Reads the header and holds it against the limits. Throws RenderError. */
export async function readOriginal(
  sharp: SharpFunction,
  bytes: Buffer,
  limits: RenderLimits,
): Promise<Original> {
  if (!isKnown(bytes)) throw new RenderError('invalid', INVALID);
  if (jpegMetadataBytes(bytes) > MAX_METADATA_BYTES) {
    throw new RenderError('too-large', 'The image has too much metadata');
  }
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'none' })
    .metadata()
    .catch(() => undefined);
  const { width, height, pageHeight, pages = 1, format = '' } = metadata ?? {};
  if (metadata === undefined || !width || !height || !FORMATS.has(format)) {
    throw new RenderError('invalid', INVALID);
  }
  const stored = { width, height: pageHeight ?? height };
  const pixels = stored.width * stored.height * pages;
  if (pixels > limits.maxPixels) {
    const suffix = pages > 1 ? ` and ${pages} frames` : '';
    const message = `The image of ${formatSize(stored)}${suffix} has more than ${limits.maxPixels} pixels`;
    throw new RenderError('too-large', message);
  }
  const rotation = rotationOf(metadata.orientation);
  // Bytes of a pixel in a row, with its transparency.
  const samples = metadata.depth === 'uchar' ? 4 : 8;
  const whole = stored.width * stored.height * bytesPerPixel(metadata, bytes);
  return {
    metadata,
    stored,
    shown: rotateSize(stored, rotation),
    rotation,
    pages,
    decodingBytes: bytes.length + whole + stored.width * samples * ROWS_IN_FLIGHT,
  };
}
