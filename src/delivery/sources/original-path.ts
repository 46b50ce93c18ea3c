// The path of an original as a source may look it up: decoded once, relative, and nothing in it that could lead elsewhere.

const MAX_PATH_BYTES = 2048;
const MAX_SEGMENT_BYTES = 255;

/** Control characters, and the separator of another system. */
const UNSAFE = /[\p{Cc}\\]/u;

/**
 * True for one part of a path that names a file or folder and nothing else. Names that begin with a dot are refused: `..`
 * leads out, and the others are hidden.
 */
function isPlainSegment(segment: string): boolean {
  if (segment === '' || segment.startsWith('.') || UNSAFE.test(segment)) return false;
  return Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES && segment.isWellFormed();
}

/** True for a decoded path that a source may look up: parts separated by `/`, each a plain name. */
export function isOriginalPath(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES && path.split('/').every(isPlainSegment);
}

/**
 * The path that a percent-encoded one stands for. Each part is decoded by itself and once, so that an encoded slash never
 * separates; undefined for a path that no source may look up.
 */
export function decodeOriginalPath(encoded: string): string | undefined {
  if (encoded.length > 3 * MAX_PATH_BYTES) return undefined;
  try {
    const segments = encoded.split('/').map(decodeURIComponent);
    const path = segments.join('/');
    return segments.every((segment) => !segment.includes('/')) && isOriginalPath(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
