// Content types of delivered files: by extension, by source, by the first bytes of an image.

import { extname } from 'node:path';
import { BINARY_TYPE, essence, isPassiveType } from '../../lib/http/media-types.ts';

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.avif', 'image/avif'],
  ['.bmp', 'image/bmp'],
  ['.css', 'text/css; charset=utf-8'],
  ['.csv', 'text/csv; charset=utf-8'],
  ['.eot', 'application/vnd.ms-fontobject'],
  ['.gif', 'image/gif'],
  ['.heic', 'image/heic'],
  ['.heif', 'image/heif'],
  ['.htm', 'text/html; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpe', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.jxl', 'image/jxl'],
  ['.m4a', 'audio/mp4'],
  ['.map', 'application/json'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.mov', 'video/quicktime'],
  ['.mp3', 'audio/mpeg'],
  ['.mp4', 'video/mp4'],
  ['.oga', 'audio/ogg'],
  ['.ogg', 'audio/ogg'],
  ['.ogv', 'video/ogg'],
  ['.otf', 'font/otf'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.tif', 'image/tiff'],
  ['.tiff', 'image/tiff'],
  ['.ttf', 'font/ttf'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.wav', 'audio/wav'],
  ['.webm', 'video/webm'],
  ['.webmanifest', 'application/manifest+json'],
  ['.webp', 'image/webp'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
  ['.xhtml', 'application/xhtml+xml'],
  ['.xml', 'application/xml'],
  ['.zip', 'application/zip'],
]);

const COMPRESSIBLE =
  /^(?:text\/|application\/(?:json|javascript|xml|wasm|manifest\+json|vnd\.ms-fontobject)$|font\/[ot]tf$|image\/(?:svg\+xml|bmp|x-icon)$)|\+(?:json|xml)$/;
/** Scripts run only where a page loads them, which delivery is there for. */
const PASSIVE_WHEN_DELIVERED: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/manifest+json',
  'application/wasm',
  'text/javascript',
]);

/** The type of a file: as its source declares it, else by its extension. */
export function deliveredContentType(path: string, declared: string | undefined): string {
  if (declared !== undefined && essence(declared) !== BINARY_TYPE) return declared;
  return BY_EXTENSION.get(extname(path).toLowerCase()) ?? BINARY_TYPE;
}

/** True for images made of pixels: an SVG is a document, and is never rendered here. */
export function isRasterImage(type: string): boolean {
  const bare = essence(type);
  return bare.startsWith('image/') && !bare.endsWith('+xml');
}

/** True for types that become much smaller when compressed. */
export function isCompressible(type: string): boolean {
  return COMPRESSIBLE.test(essence(type));
}

/** Headers that keep a browser from running what the file may contain. */
export function securityHeaders(type: string): Readonly<Record<string, string>> {
  return isPassiveType(type, PASSIVE_WHEN_DELIVERED) ? {} : { 'Content-Security-Policy': 'sandbox' };
}

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
