// The original of a rendering before a pixel is decoded: its bytes, the metadata that is measured or cut off, and its header, held
// against the limits. Runs in the render process.
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { formatSize, type ImageSize } from './geometry.ts';
import { type Rotation, rotateSize, rotationOf } from './orientation.ts';
import { RenderError, type RenderLimits } from './render-protocol.ts';

export interface OriginalImageBuffer {
  /** Another original begins. Where its size is known its bytes are never held twice. */
  expect(size: number | undefined): void;
  /** Copies them. */
  add(bytes: Buffer): void;
  /** All of them; the buffer is empty then. */
  take(): Buffer;
}

export function createOriginalImageBuffer(): OriginalImageBuffer {
  let whole: Buffer = Buffer.alloc(0);
  let used = 0;
  let pieces: Buffer[] = [];
  return {
    expect(size) {
      whole = Buffer.allocUnsafe(size ?? 0);
      used = 0;
      pieces = [];
    },
    add(bytes) {
      const fitting = bytes.subarray(0, whole.length - used);
      used += fitting.copy(whole, used);
      // A file that is longer than it said.
      if (fitting.length < bytes.length) pieces.push(Buffer.from(bytes.subarray(fitting.length)));
    },
    take() {
      const known = whole.subarray(0, used);
      const bytes = pieces.length === 0 ? known : Buffer.concat([known, ...pieces]);
      whole = Buffer.alloc(0);
      pieces = [];
      used = 0;
      return bytes;
    },
  };
}

const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;
const isApplication = (kind: number) => kind >= 0xe0 && kind <= 0xef;

/**
 * Bytes of comments and application segments in front of the first scan; 0 for anything but a JPEG. Decoders copy profiles and
 * comments several times.
 */
export function jpegMetadataBytes(file: Buffer): number {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return 0;
  let total = 0;
  for (let at = 2; at + 4 <= file.length; ) {
    if (file[at] !== MARKER) {
      // Decoders skip what stands between segments.
      at += 1;
      continue;
    }
    const kind = file[at + 1] ?? 0;
    if (kind === MARKER) {
      at += 1;
      continue;
    }
    if (kind === START_OF_SCAN) return total;
    const length = file.readUInt16BE(at + 2);
    if (isApplication(kind) || kind === COMMENT) total += length;
    at += 2 + Math.max(length, 2);
  }
  return total;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Texts, suggested palettes, histograms, and the frames of animations, of which the first is shown. */
const EXTRAS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt', 'sPLT', 'hIST', 'fcTL', 'fdAT']);
/** What a camera says holds the orientation, too; so much of it is never honest. */
const MAX_EXIF_BYTES = 1024 * 1024;
/** Length, kind and check sum of a chunk. */
const CHUNK_OVERHEAD_BYTES = 12;
/** Extras up to this size together stay: they unfold to a thousand times as much at most. */
const MAX_EXTRA_BYTES = 4096;

/**
 * The same file without its extras, if they are many or long: compressed texts can inflate to gigabytes. Anything but a PNG is
 * returned as it is.
 */
export function stripPngExtras(file: Buffer): Buffer {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return file;
  const kept: Buffer[] = [];
  let keptUntil = 0;
  let extraBytes = 0;
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD_BYTES <= file.length; ) {
    const end = at + CHUNK_OVERHEAD_BYTES + file.readUInt32BE(at);
    const kind = file.toString('latin1', at + 4, at + 8);
    if (EXTRAS.has(kind) || (kind === 'eXIf' && end - at > MAX_EXIF_BYTES)) {
      extraBytes += Math.min(end, file.length) - at;
      kept.push(file.subarray(keptUntil, at));
      keptUntil = Math.min(end, file.length);
    }
    at = end;
  }
  if (extraBytes <= MAX_EXTRA_BYTES) return file;
  return Buffer.concat([...kept, file.subarray(keptUntil)]);
}

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
