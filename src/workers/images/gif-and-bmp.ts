// GIF and BMP: formats with their dimensions at a fixed place of the header.
import type { Dimensions, FileBytes } from './image-bytes.ts';

/** The logical screen, on which all frames of an animation are drawn. */
export function readGif(bytes: FileBytes): Dimensions | undefined {
  if (!bytes.has(0, 'GIF87a') && !bytes.has(0, 'GIF89a')) return undefined;
  return { width: bytes.u16(6, true), height: bytes.u16(8, true) };
}

const FILE_HEADER_BYTES = 14;
const CORE_HEADER_BYTES = 12;
const MAX_HEADER_BYTES = 256;

/** A negative height only says that the rows go downwards. */
export function readBmp(bytes: FileBytes): Dimensions | undefined {
  if (!bytes.has(0, 'BM')) return undefined;
  const headerBytes = bytes.u32(FILE_HEADER_BYTES, true);
  if (headerBytes === CORE_HEADER_BYTES) return { width: bytes.u16(18, true), height: bytes.u16(20, true) };
  // Two letters are too little to tell a BMP from a text.
  if (headerBytes < 16 || headerBytes > MAX_HEADER_BYTES) return undefined;
  return { width: bytes.u32(18, true) | 0, height: Math.abs(bytes.u32(22, true) | 0) };
}
