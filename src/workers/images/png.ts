// PNG: the header chunk, and the EXIF chunk where it stands before the pixels.
import { applyOrientation, type Dimensions, type FileBytes, readOr } from './image-bytes.ts';
import { readOrientation } from './tiff.ts';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
const FIRST_CHUNK = 8;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME_BYTES = 12;

function findOrientation(bytes: FileBytes): number {
  let chunk = FIRST_CHUNK;
  while (!bytes.has(chunk + 4, 'IDAT')) {
    if (bytes.has(chunk + 4, 'eXIf')) return readOrientation(bytes, chunk + 8);
    chunk += CHUNK_FRAME_BYTES + bytes.u32(chunk);
  }
  return 1;
}

/** Dimensions of a PNG file, also where nothing but its header is at hand. */
export function readPng(bytes: FileBytes): Dimensions | undefined {
  if (!bytes.has(0, SIGNATURE) || !bytes.has(FIRST_CHUNK + 4, 'IHDR')) return undefined;
  const dimensions = { width: bytes.u32(16), height: bytes.u32(20) };
  return readOr(() => applyOrientation(dimensions, findOrientation(bytes)), dimensions);
}
