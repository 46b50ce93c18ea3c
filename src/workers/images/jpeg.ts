// JPEG: the markers up to the frame header, with the EXIF orientation on the way.
import { applyOrientation, type Dimensions, type FileBytes, readOr } from './image-bytes.ts';
import { readOrientation } from './tiff.ts';

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const APP1 = 0xe1;
const EXIF = 'Exif\0\0';
/** Markers in the range of frame headers that are none: tables, a reserved one, arithmetic conditioning. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker);
/** Markers without a segment: restarts, a second start of the image, a private one. */
const isBare = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01;

const orientationAt = (bytes: FileBytes, base: number): number =>
  readOr(() => readOrientation(bytes, base), 1);

/** Dimensions of a JPEG file. Throws OutOfReachError when its frame header is not at hand. */
export function readJpeg(bytes: FileBytes): Dimensions | undefined {
  if (!bytes.has(0, '\xff\xd8\xff')) return undefined;
  let orientation: number | undefined;
  let at = 2;
  for (;;) {
    if (bytes.u8(at) !== 0xff) return undefined;
    const marker = bytes.u8(at + 1);
    const segment = at + 2;
    if (marker === START_OF_SCAN || marker === END_OF_IMAGE) return undefined;
    if (marker === 0xff) {
      // A fill byte.
      at += 1;
    } else if (isBare(marker)) {
      at += 2;
    } else if (isFrame(marker)) {
      return applyOrientation({ width: bytes.u16(segment + 5), height: bytes.u16(segment + 3) }, orientation);
    } else {
      if (marker === APP1 && bytes.has(segment + 2, EXIF)) orientation ??= orientationAt(bytes, segment + 8);
      at = segment + bytes.u16(segment);
    }
  }
}
