// The dimensions of common images, read where they are needed: sending bytes to a thread costs thirty times as much as reading them.
import { readGif } from './images/gif-and-bmp.ts';
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
import { readWebp } from './images/webp.ts';

/** Their work is bounded by the number of bytes at hand, whatever these are: each step of a loop goes forward. */
const READERS: readonly ImageReader[] = [readPng, readJpeg, readGif, readWebp];

/**
 * The dimensions of a PNG, JPEG, GIF or WebP file of `size` bytes that begins with `head`, some KiB. Undefined where these do not
 * tell, which says nothing about the image.
 */
export function dimensionsInHeader(head: Uint8Array, size: number): Dimensions | undefined {
  const bytes = new FileBytes(head, size);
  const dimensions = readOr(() => firstDimensions(READERS, bytes), undefined);
  const isSure = size === head.length || !bytes.missed;
  return dimensions !== undefined && isSure && isPlausible(dimensions) ? dimensions : undefined;
}
