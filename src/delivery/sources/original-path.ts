// Paths of delivered files, `/{route or recipe}/{path}` or `/{path}`, and the originals that they name: a file of a source, or a URL.

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

const REMOTE = /^(https?):\/{1,3}(?!\/)/i;

/** An original: by its path in the sources, or at another web server. */
export type OriginalAddress = { readonly path: string } | { readonly url: URL };

/** The first part of a path, decoded, and what stands behind its slash, still encoded. */
export function splitName(path: string): { readonly name: string; readonly rest: string } | undefined {
  const slash = path.indexOf('/', 1);
  if (slash === -1 || !path.startsWith('/')) return undefined;
  try {
    return { name: decodeURIComponent(path.slice(1, slash)), rest: path.slice(slash + 1) };
  } catch {
    return undefined;
  }
}

/** A path as the address of a file below the base of a recipe, which is a folder or the URL of one. */
function below(base: string, path: string): OriginalAddress | undefined {
  if (!REMOTE.test(base)) {
    const folder = base
      .split('/')
      .filter((part) => part !== '')
      .join('/');
    const joined = folder === '' ? path : `${folder}/${path}`;
    return isOriginalPath(joined) ? { path: joined } : undefined;
  }
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const url = URL.parse(`${base.replace(/\/+$/, '')}/${encoded}`);
  return url === null ? undefined : { url };
}

/**
 * The original that an encoded path names; `base`: the `path` of the recipe. Undefined for a path that cannot name one.
 * Proxies make one slash of two: `https:/host/path` is taken for `https://host/path`.
 */
export function originalAddress(encoded: string, base: string | undefined): OriginalAddress | undefined {
  if (REMOTE.test(encoded)) {
    const url = URL.parse(encoded.replace(REMOTE, '$1://'));
    return url === null ? undefined : { url };
  }
  const path = decodeOriginalPath(encoded);
  return path === undefined ? undefined : below(base ?? '', path);
}

/** The encoded form of a path as records and people write it; a URL stays as it is. One slash in front is tolerated. */
export function encodeOriginalPath(path: string): string {
  if (REMOTE.test(path)) return path;
  return path.toWellFormed().replace(/^\//, '').split('/').map(encodeURIComponent).join('/');
}

const ENCODED = /%[0-9a-f]{2}/gi;
const UNRESERVED = /[\w.~-]/;

/** A URL in the one form that all its spellings have (RFC 3986, 6.2.2): no percent encoding of what needs none. */
function canonicalHref({ href }: URL): string {
  return href.replace(ENCODED, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return UNRESERVED.test(character) ? character : code.toUpperCase();
  });
}

/** Which source and which file of it an address means, whatever its spelling. */
export function sourceIdOf(address: OriginalAddress): string {
  return 'path' in address ? `file:${address.path.normalize('NFC')}` : `url:${canonicalHref(address.url)}`;
}
