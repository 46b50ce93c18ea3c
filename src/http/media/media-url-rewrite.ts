// Rewrites the alias URLs of media collections before routing: `/media…` to the path of a collection, and a path with an upload
// token to the internal path of signed uploads.
import type { IncomingMessage } from 'node:http';
import type { Collection } from '../../collections/model/collection.ts';
import type { CollectionRegistry } from '../../collections/model/registry.ts';
import { isId } from '../../lib/ids.ts';
import { hasTwoDots, isTokenShaped, urlPath } from '../core/request-url.ts';
import { findMediaCollectionByName, findOnlyMediaCollection } from './find-media-collection.ts';

/** Internal path of uploads to signed URLs. No version begins with a dot, so it cannot clash with a collection. */
export const SIGNED_UPLOAD_PATH = '/.signed-upload';

/** An upload to a signed URL. */
interface SignedUploadAddress {
  readonly token: string;
  /** The collection that the path names; undefined where only the token names one. */
  readonly collection: Collection | undefined;
}

export interface MediaUrlRewriter {
  /** The URL to route; undefined for a request that is not for an alias. */
  rewrite(raw: IncomingMessage): string | undefined;
  /** The signed upload of a request. Undefined for a request that names the internal path itself. */
  uploadOf(raw: IncomingMessage): SignedUploadAddress | undefined;
}

/** The target of an alias: a path in a collection, or a signed upload. */
type MediaTarget =
  | { readonly kind: 'path'; readonly collection: Collection; readonly below: readonly string[] }
  | { readonly kind: 'upload'; readonly upload: SignedUploadAddress };

type Deps = Pick<CollectionRegistry, 'get' | 'list'>;

const UPLOAD = Symbol('upload');

interface MarkedRequest extends IncomingMessage {
  [UPLOAD]?: SignedUploadAddress;
}

const RESERVED_NAMES: ReadonlySet<string> = new Set(['sign', 'config', 'count', 'stats']);

/** The decoded segments of a path without its trailing slash; undefined if one does not decode. */
function splitPath(path: string): readonly string[] | undefined {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const parts = path.slice(1, end).split('/');
  if (!path.includes('%')) return parts;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Old clients POST to a document to update it. Any other POST below a collection is a signed upload. */
function isSignedUpload(method: string | undefined, part: string): boolean {
  return method === 'POST' ? !isId(part) : isTokenShaped(part);
}

function resolveInCollection(
  collection: Collection,
  below: readonly string[],
  method: string | undefined,
): MediaTarget {
  const [first = '', ...deeper] = below;
  if (first !== '' && deeper.length === 0 && !RESERVED_NAMES.has(first) && isSignedUpload(method, first)) {
    return { kind: 'upload', upload: { token: first, collection } };
  }
  return { kind: 'path', collection, below };
}

/** `/media`, `/media/{bucket}` and below. */
function resolveMediaPath(
  registry: Deps,
  below: readonly string[],
  method: string | undefined,
): MediaTarget | undefined {
  const [first, ...deeper] = below;
  if (first === 'sign' && deeper.length === 0) return undefined;
  const bucket = first === undefined ? undefined : findMediaCollectionByName(registry, first);
  if (bucket !== undefined) return resolveInCollection(bucket, deeper, method);
  // Without dots it is no token, but a bucket that does not exist.
  const isToken = first !== undefined && hasTwoDots(first) && isSignedUpload(method, first);
  if (isToken && deeper.length === 0) {
    return { kind: 'upload', upload: { token: first, collection: undefined } };
  }
  // Nothing is written two levels below a collection: the first segment names a bucket.
  if (method === 'POST' && deeper.length > 0) return undefined;
  const only = findOnlyMediaCollection(registry);
  return only && { kind: 'path', collection: only, below };
}

/** `/api/media` and below. */
function resolveApiPath(
  registry: Deps,
  below: readonly string[],
  method: string | undefined,
): MediaTarget | undefined {
  const [token, ...deeper] = below;
  if (deeper.length > 0 || token === 'sign') return undefined;
  if (token !== undefined) return { kind: 'upload', upload: { token, collection: undefined } };
  const only = method === 'POST' ? findOnlyMediaCollection(registry) : undefined;
  return only && { kind: 'path', collection: only, below };
}

/** `/{version}/{database}/{collection}/{token}`. */
function resolveCollectionPath(registry: Deps, parts: readonly string[], method: string | undefined) {
  const [version = '', database = '', name = '', ...below] = parts;
  const collection = below.length === 1 ? registry.get(version, database, name) : undefined;
  if (collection === undefined || !collection.settings.media) return undefined;
  const target = resolveInCollection(collection, below, method);
  return target.kind === 'upload' ? target : undefined;
}

/** The target of a path; undefined for a path that is no alias. */
function resolveTarget(registry: Deps, path: string, method: string | undefined): MediaTarget | undefined {
  const isAlias = path.startsWith('/media') || path.startsWith('/api/media') || path.includes('%');
  // Fast path: most requests are no aliases.
  if (!isAlias && method !== 'POST' && !isTokenShaped(path)) return undefined;
  const [first, second, ...rest] = splitPath(path) ?? [];
  if (first === 'media')
    return resolveMediaPath(registry, second === undefined ? [] : [second, ...rest], method);
  if (first === 'api') return second === 'media' ? resolveApiPath(registry, rest, method) : undefined;
  return first === undefined || second === undefined
    ? undefined
    : resolveCollectionPath(registry, [first, second, ...rest], method);
}

/** Makes the rewriter over the live collections. */
export function createMediaUrlRewriter(registry: Deps): MediaUrlRewriter {
  return {
    rewrite(raw: MarkedRequest) {
      const url = raw.url ?? '/';
      const target = resolveTarget(registry, urlPath(url), raw.method);
      if (target === undefined) return undefined;
      if (target.kind === 'upload') {
        raw[UPLOAD] = target.upload;
        return SIGNED_UPLOAD_PATH;
      }
      const { version, database, name } = target.collection;
      return `/${[version, database, name, ...target.below].map(encodeURIComponent).join('/')}`;
    },
    uploadOf: (raw: MarkedRequest) => raw[UPLOAD],
  };
}
