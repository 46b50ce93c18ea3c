// Leaves out of a PNG what is not for showing it, before it is decoded: no result carries it, and compressed texts can
// unfold to gigabytes.

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Texts, suggested palettes, histograms, and the frames of animations, of which the first is shown. */
const EXTRAS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt', 'sPLT', 'hIST', 'fcTL', 'fdAT']);
/** What a camera says holds the orientation, too; so much of it is never honest. */
const MAX_EXIF_BYTES = 1024 * 1024;
/** Length, kind and check sum of a chunk. */
const FRAME_BYTES = 12;
/** Extras up to this size together stay: they unfold to a thousand times as much at most. */
const MAX_EXTRA_BYTES = 4096;

/** The same file without its extras, if they are many or long. Anything but a PNG is returned as it is. */
export function stripPngExtras(file: Buffer): Buffer {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return file;
  const kept: Buffer[] = [];
  let keptUntil = 0;
  let extraBytes = 0;
  for (let at = SIGNATURE.length; at + FRAME_BYTES <= file.length; ) {
    const end = at + FRAME_BYTES + file.readUInt32BE(at);
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
