// Worker task: the dimensions of an image, from its bytes alone.
import { readAvif } from './images/avif.ts';
import { readBmp, readGif } from './images/gif-and-bmp.ts';
import { type Dimensions, FileBytes, isPlausible, OutOfReachError } from './images/image-bytes.ts';
import { readJpeg } from './images/jpeg.ts';
import { readPng } from './images/png.ts';
import { readSvg } from './images/svg.ts';
import { readTiff } from './images/tiff.ts';
import { readWebp } from './images/webp.ts';

export interface ImageTask {
  /** The first bytes of the file, and its last ones where it is longer than those. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Whether more of the file could be sent. */
  readonly isPart: boolean;
}

const READERS: readonly ((bytes: FileBytes) => Dimensions | undefined)[] = [
  readPng,
  readJpeg,
  readGif,
  readWebp,
  readAvif,
  readTiff,
  readBmp,
];

function read(bytes: FileBytes, head: Uint8Array): Dimensions | undefined {
  for (const reader of READERS) {
    const dimensions = reader(bytes);
    if (dimensions !== undefined) return dimensions;
  }
  return readSvg(head);
}

/**
 * Undefined if the bytes are not an image of a known format, end before its dimensions, or have implausible ones. `incomplete`:
 * more of the file could change that.
 */
export function imageDimensions({
  head,
  tail,
  size,
  isPart,
}: ImageTask): Dimensions | 'incomplete' | undefined {
  const bytes = new FileBytes(head, size, tail);
  try {
    const dimensions = read(bytes, head);
    if (isPart && bytes.missed) return 'incomplete';
    return dimensions !== undefined && isPlausible(dimensions) ? dimensions : undefined;
  } catch (error) {
    if (error instanceof OutOfReachError) return isPart ? 'incomplete' : undefined;
    throw error;
  }
}
