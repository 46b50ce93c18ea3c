// AVIF: the properties of the primary item in the boxes of the file.
import type { Dimensions, FileBytes } from './image-bytes.ts';

interface Box {
  readonly type: string;
  /** Where the content begins and ends. */
  readonly start: number;
  readonly end: number;
}

const BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
const MAX_BRANDS = 32;
/** Version and flags, with which some boxes begin. */
const FULL_BOX_BYTES = 4;

function* boxesIn(bytes: FileBytes, start: number, end: number): Generator<Box> {
  let at = start;
  while (at + 8 <= end) {
    const short = bytes.u32(at);
    const isLong = short === 1;
    const header = isLong ? 16 : 8;
    const long = isLong ? bytes.u32(at + 8) * 0x1_0000_0000 + bytes.u32(at + 12) : short;
    const boxEnd = short === 0 ? end : at + long;
    if (boxEnd < at + header || boxEnd > end) return;
    yield { type: bytes.text(at + 4, 4), start: at + header, end: boxEnd };
    at = boxEnd;
  }
}

function findBox(bytes: FileBytes, type: string, start: number, end: number): Box | undefined {
  return boxesIn(bytes, start, end).find((box) => box.type === type);
}

function isAvif(bytes: FileBytes): boolean {
  if (!bytes.has(4, 'ftyp')) return false;
  const count = Math.min((bytes.u32(0) - 8) / 4, MAX_BRANDS);
  for (let index = 0; index < count; index += 1) {
    // Between the first brand and the others stands a version, which is none of them.
    if (BRANDS.has(bytes.text(8 + index * 4, 4))) return true;
  }
  return false;
}

/** Indexes, from 1, of the properties that an item has. */
function propertiesOf(bytes: FileBytes, ipma: Box, item: number): readonly number[] {
  const hasLongItems = bytes.u8(ipma.start) > 0;
  const hasLongIndexes = (bytes.u8(ipma.start + 3) & 1) === 1;
  const idBytes = hasLongItems ? 4 : 2;
  const indexBytes = hasLongIndexes ? 2 : 1;
  let at = ipma.start + FULL_BOX_BYTES + 4;
  while (at < ipma.end) {
    const id = hasLongItems ? bytes.u32(at) : bytes.u16(at);
    const count = bytes.u8(at + idBytes);
    const first = at + idBytes + 1;
    if (id === item) {
      const indexAt = (position: number) =>
        hasLongIndexes ? bytes.u16(first + position * 2) & 0x7fff : bytes.u8(first + position) & 0x7f;
      return Array.from({ length: count }, (_, position) => indexAt(position));
    }
    at = first + count * indexBytes;
  }
  return [];
}

/** Dimensions of an AVIF file. Throws OutOfReachError when its description is not at hand. */
export function readAvif(bytes: FileBytes): Dimensions | undefined {
  if (!isAvif(bytes)) return undefined;
  const meta = findBox(bytes, 'meta', 0, bytes.size);
  if (meta === undefined) return undefined;
  const inMeta = meta.start + FULL_BOX_BYTES;
  const pitm = findBox(bytes, 'pitm', inMeta, meta.end);
  const iprp = findBox(bytes, 'iprp', inMeta, meta.end);
  if (pitm === undefined || iprp === undefined) return undefined;
  const ipco = findBox(bytes, 'ipco', iprp.start, iprp.end);
  const ipma = findBox(bytes, 'ipma', iprp.start, iprp.end);
  if (ipco === undefined || ipma === undefined) return undefined;

  const idAt = pitm.start + FULL_BOX_BYTES;
  const primary = bytes.u8(pitm.start) === 0 ? bytes.u16(idAt) : bytes.u32(idAt);
  const wanted = new Set(propertiesOf(bytes, ipma, primary));
  const all = boxesIn(bytes, ipco.start, ipco.end);
  const own = [...all].filter((_, position) => wanted.has(position + 1));
  const ispe = own.find(({ type }) => type === 'ispe');
  if (ispe === undefined) return undefined;
  const width = bytes.u32(ispe.start + FULL_BOX_BYTES);
  const height = bytes.u32(ispe.start + FULL_BOX_BYTES + 4);
  const irot = own.find(({ type }) => type === 'irot');
  // Quarter turns: an odd number of them swaps.
  const isSwapped = irot !== undefined && (bytes.u8(irot.start) & 1) === 1;
  return isSwapped ? { width: height, height: width } : { width, height };
}
