// How much of a JPEG is metadata: read before it is decoded, because profiles and comments are copied several times then.

const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;
const isApplication = (kind: number) => kind >= 0xe0 && kind <= 0xef;

/** Bytes of comments and application segments in front of the first scan; 0 for anything but a JPEG. */
export function jpegMetadataBytes(file: Buffer): number {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return 0;
  let total = 0;
  for (let at = 2; at + 4 <= file.length; ) {
    if (file[at] !== MARKER) {
      // Decoders skip what stands between segments.
      at += 1;
      continue;
    }
    const kind = file[at + 1] ?? 0;
    if (kind === MARKER) {
      at += 1;
      continue;
    }
    if (kind === START_OF_SCAN) return total;
    const length = file.readUInt16BE(at + 2);
    if (isApplication(kind) || kind === COMMENT) total += length;
    at += 2 + Math.max(length, 2);
  }
  return total;
}
