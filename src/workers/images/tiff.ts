// TIFF: its dimensions, and the orientation in the TIFF block that JPEG, PNG and WebP carry as EXIF.
import { applyOrientation, type Dimensions, type FileBytes } from './image-bytes.ts';

const WIDTH = 256;
const HEIGHT = 257;
const ORIENTATION = 274;
const SHORT = 3;
const LONG = 4;
const ENTRY_BYTES = 12;
const MAX_ENTRIES = 4096;

type Tags = ReadonlyMap<number, number>;

/** The integers of the first directory by tag. Undefined when there is no TIFF header at `base`. */
function readDirectory(bytes: FileBytes, base: number): Tags | undefined {
  const littleEndian = bytes.has(base, 'II*\0');
  if (!littleEndian && !bytes.has(base, 'MM\0*')) return undefined;
  const start = base + bytes.u32(base + 4, littleEndian);
  const count = Math.min(bytes.u16(start, littleEndian), MAX_ENTRIES);
  const tags = new Map<number, number>();
  for (let index = 0; index < count; index += 1) {
    const entry = start + 2 + index * ENTRY_BYTES;
    const type = bytes.u16(entry + 2, littleEndian);
    if (bytes.u32(entry + 4, littleEndian) !== 1) continue;
    const tag = bytes.u16(entry, littleEndian);
    if (type === SHORT) tags.set(tag, bytes.u16(entry + 8, littleEndian));
    if (type === LONG) tags.set(tag, bytes.u32(entry + 8, littleEndian));
    // Entries are in the order of their tags.
    if (tag >= ORIENTATION) break;
  }
  return tags;
}

/** EXIF orientation, 1 to 8, of the TIFF block at `base`; 1 where it says nothing that can be read. */
export function readOrientation(bytes: FileBytes, base: number): number {
  return readDirectory(bytes, base)?.get(ORIENTATION) ?? 1;
}

/** Dimensions of a TIFF file. Throws OutOfReachError when its first directory is not at hand. */
export function readTiff(bytes: FileBytes): Dimensions | undefined {
  const tags = readDirectory(bytes, 0);
  const width = tags?.get(WIDTH);
  const height = tags?.get(HEIGHT);
  if (width === undefined || height === undefined) return undefined;
  return applyOrientation({ width, height }, tags?.get(ORIENTATION));
}
