// Tells images by their first bytes, where neither the name nor the source says what a file is.

/** Bytes that have to be read. */
export const SIGNATURE_BYTES = 12;

const HEIF_BRANDS: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
]);

/** The type of the image that begins with these bytes; undefined for anything else. */
export function detectImageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'image/webp';
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return 'image/tiff';
  return head.slice(4, 8) === 'ftyp' ? HEIF_BRANDS.get(head.slice(8, 12)) : undefined;
}
