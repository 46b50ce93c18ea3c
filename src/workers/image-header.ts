// The dimensions of common images, read where they are needed: sending bytes to a thread costs thirty times as much as reading them.
import { readGif } from './images/gif-and-bmp.ts';
import { type Dimensions, FileBytes, isPlausible, OutOfReachError } from './images/image-bytes.ts';
import { readJpeg } from './images/jpeg.ts';
import { readPng } from './images/png.ts';
import { readWebp } from './images/webp.ts';

/** Their work is bounded by the number of bytes at hand, whatever these are: each step of a loop goes forward. */
const READERS: readonly ((bytes: FileBytes) => Dimensions | undefined)[] = [
  readPng,
  readJpeg,
  readGif,
  readWebp,
];

/**
 * The dimensions of a PNG, JPEG, GIF or WebP file of `size` bytes that begins with `head`, some KiB. Undefined where these do not
 * tell, which says nothing about the image.
 */
export function dimensionsInHeader(head: Uint8Array, size: number): Dimensions | undefined {
  const bytes = new FileBytes(head, size);
  try {
    for (const reader of READERS) {
      const dimensions = reader(bytes);
      if (dimensions === undefined) continue;
      const isSure = size === head.length || !bytes.missed;
      return isSure && isPlausible(dimensions) ? dimensions : undefined;
    }
  } catch (error) {
    if (!(error instanceof OutOfReachError)) throw error;
  }
  return undefined;
}
