// Metadata of originals before they are decoded. In a JPEG it is measured, because decoders copy profiles and comments several
// times; from a PNG it is removed, because compressed texts can inflate to gigabytes.

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

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Texts, suggested palettes, histograms, and the frames of animations, of which the first is shown. */
const EXTRAS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt', 'sPLT', 'hIST', 'fcTL', 'fdAT']);
/** What a camera says holds the orientation, too; so much of it is never honest. */
const MAX_EXIF_BYTES = 1024 * 1024;
/** Length, kind and check sum of a chunk. */
const CHUNK_OVERHEAD_BYTES = 12;
/** Extras up to this size together stay: they unfold to a thousand times as much at most. */
const MAX_EXTRA_BYTES = 4096;

/** The same file without its extras, if they are many or long. Anything but a PNG is returned as it is. */
export function stripPngExtras(file: Buffer): Buffer {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return file;
  const kept: Buffer[] = [];
  let keptUntil = 0;
  let extraBytes = 0;
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD_BYTES <= file.length; ) {
    const end = at + CHUNK_OVERHEAD_BYTES + file.readUInt32BE(at);
    const kind = file.toString('latin1', at + 4, at + 8);
    if (EXTRAS.has(kind) || (kind === 'eXIf' && end - at > MAX_EXIF_BYTES)) {
      extraBytes += Math.min(end, file.length) - at;
      kept.push(file.subarray(keptUntil, at));
      keptUntil = Math.min(end, file.length);
    }
    at = end;
  }
  if (extraBytes <= MAX_EXTRA_BYTES) return file;
  return Buffer.concat([...kept, file.subarray(keptUntil)]);
}
