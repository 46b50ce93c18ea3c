// WebP: lossy, lossless and extended files, the last ones with an EXIF orientation.
import { applyOrientation, type Dimensions, type FileBytes, readOr } from './image-bytes.ts';
import { readOrientation } from './tiff.ts';

const FIRST_CHUNK = 12;
const FIRST_DATA = 20;
const HAS_EXIF = 0x08;
const EXIF = 'Exif\0\0';

function readLossy(bytes: FileBytes): Dimensions | undefined {
  const isKeyFrame = (bytes.u8(FIRST_DATA) & 1) === 0;
  if (!isKeyFrame || !bytes.has(FIRST_DATA + 3, '\x9d\x01\x2a')) return undefined;
  return {
    width: bytes.u16(FIRST_DATA + 6, true) & 0x3fff,
    height: bytes.u16(FIRST_DATA + 8, true) & 0x3fff,
  };
}

function readLossless(bytes: FileBytes): Dimensions | undefined {
  if (bytes.u8(FIRST_DATA) !== 0x2f) return undefined;
  const packed = bytes.u32(FIRST_DATA + 1, true);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** The EXIF chunk stands behind the pixels: of a long file it is found in the last bytes, if at all. */
function findOrientation(bytes: FileBytes): number {
  let chunk = FIRST_CHUNK;
  while (!bytes.has(chunk, 'EXIF')) {
    const length = bytes.u32(chunk + 4, true);
    chunk += 8 + length + (length % 2);
  }
  const data = chunk + 8;
  return readOrientation(bytes, bytes.has(data, EXIF) ? data + EXIF.length : data);
}

function readExtended(bytes: FileBytes): Dimensions {
  const u24 = (offset: number) => bytes.u16(offset, true) + bytes.u8(offset + 2) * 0x1_0000;
  const dimensions = { width: u24(FIRST_DATA + 4) + 1, height: u24(FIRST_DATA + 7) + 1 };
  if ((bytes.u8(FIRST_DATA) & HAS_EXIF) === 0) return dimensions;
  return readOr(() => applyOrientation(dimensions, findOrientation(bytes)), dimensions);
}

/** Dimensions of a WebP file; of an animation, those of the canvas. */
export function readWebp(bytes: FileBytes): Dimensions | undefined {
  if (!bytes.has(0, 'RIFF') || !bytes.has(8, 'WEBP')) return undefined;
  if (bytes.has(FIRST_CHUNK, 'VP8 ')) return readLossy(bytes);
  if (bytes.has(FIRST_CHUNK, 'VP8L')) return readLossless(bytes);
  return bytes.has(FIRST_CHUNK, 'VP8X') ? readExtended(bytes) : undefined;
}
