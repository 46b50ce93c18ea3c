// What a delivered path names: `/{route or recipe}/{path}`, or `/{path}` alone; the path may be the URL of another server.
import { decodeOriginalPath, isOriginalPath } from './sources/original-path.ts';

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
