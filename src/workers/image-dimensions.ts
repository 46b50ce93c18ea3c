// Worker task: the dimensions of an image, from its bytes alone.
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

export interface ImageTask {
  /** The first bytes of the file, and its last ones where it is longer than those. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Whether more of the file could be sent. */
  readonly isPart: boolean;
}

const READERS: readonly ImageReader[] = [readPng, readJpeg, readGif, readWebp, readAvif, readTiff, readBmp];

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
  const found = readOr(() => firstDimensions(READERS, bytes) ?? readSvg(head), 'incomplete');
  if (isPart && (found === 'incomplete' || bytes.missed)) return 'incomplete';
  return typeof found === 'object' && isPlausible(found) ? found : undefined;
}
