// The dimensions of an image, from its bytes alone: those of common images at once, those of all others as a task of a thread.
import { readAvif } from './images/avif.ts';
import { readBmp, readGif } from './images/gif-and-bmp.ts';
import {
  type Dimensions,
  FileBytes,
  firstDimensions,
  type ImageReader,
  isPlausible,
  readOr,
} from './images/image-bytes.ts';
import { readJpeg } from './images/jpeg.ts';
import { readPng } from './images/png.ts';
import { readSvg } from './images/svg.ts';
import { readTiff } from './images/tiff.ts';
import { readWebp } from './images/webp.ts';

/** Readers whose work is bounded by the number of bytes at hand, whatever these are: each step of a loop goes forward. */
const BOUNDED_READERS: readonly ImageReader[] = [readPng, readJpeg, readGif, readWebp];

/**
 * The dimensions of a PNG, JPEG, GIF or WebP file of `size` bytes that begins with `head`, some KiB: read where they are needed, as
 * sending bytes to a thread costs thirty times as much as reading them. Undefined where these do not tell, which says nothing about
 * the image.
 */
export function dimensionsInHeader(head: Uint8Array, size: number): Dimensions | undefined {
  const bytes = new FileBytes(head, size);
  const dimensions = readOr(() => firstDimensions(BOUNDED_READERS, bytes), undefined);
  const isSure = size === head.length || !bytes.missed;
  return dimensions !== undefined && isSure && isPlausible(dimensions) ? dimensions : undefined;
}

export interface ImageTask {
  /** The first bytes of the file, and its last ones where it is longer than those. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Whether more of the file could be sent. */
  readonly isPart: boolean;
}

const READERS: readonly ImageReader[] = [...BOUNDED_READERS, readAvif, readTiff, readBmp];

/**
 * The task. Undefined if the bytes are not an image of a known format, end before its dimensions, or have implausible ones. `incomplete`:
 * more of the file could change that.
 */
export function imageDimensions({
  head,
  tail,
  size,
  isPart,
}: ImageTask): Dimensions | 'incomplete' | undefined {
  const bytes = new FileBytes(head, size, tail);
  const found = readOr(() => firstDimensions(READERS, bytes) ?? readSvg(head), 'incomplete');
  if (isPart && (found === 'incomplete' || bytes.missed)) return 'incomplete';
  return typeof found === 'object' && isPlausible(found) ? found : undefined;
}
