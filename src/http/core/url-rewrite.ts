// The URL that the router is to look up, where it is not the request's own: alias URLs of media collections (`/media…`), uploads to
// signed URLs, and endpoints, whose paths change while the server runs and may have any depth. What was found is kept with the
// request.
import type { IncomingMessage } from 'node:http';
import type { Collection, CollectionRegistry } from '../../collections/model/collection.ts';
import { pathSegments } from '../../lib/http/path-segments.ts';
import { isId } from '../../lib/ids.ts';
import type { EndpointMatch, ModuleRegistry } from '../../modules/model/module-types.ts';
import { findDefaultMediaCollection, findMediaCollectionByName } from './find-media-collection.ts';
import { ENDPOINT_ADMIN_PATH, ENDPOINT_CALL_PATH, SIGNED_UPLOAD_PATH } from './internal-paths.ts';
import { hasTwoDots, isTokenShaped, urlPath } from './request-url.ts';

/** An upload to a signed URL. */
interface SignedUploadAddress {
  readonly token: string;
  /** The collection that the path names; undefined where only the token names one. */
  readonly collection: Collection | undefined;
}

/** `uploadOf` and `endpointOf` know rewritten requests alone: one that names an internal path itself is neither. */
export interface UrlRewriter {
  /** The URL that the router is to look up. */
  rewrite(raw: IncomingMessage): string;
  /** The signed upload that a request is. */
  uploadOf(raw: IncomingMessage): SignedUploadAddress | undefined;
  /** The endpoint that a request is for. */
  endpointOf(raw: IncomingMessage): EndpointMatch | undefined;
}

/** The target of an alias: a path in a collection, or a signed upload. */
type MediaTarget =
  | { readonly kind: 'path'; readonly collection: Collection; readonly below: readonly string[] }
  | { readonly kind: 'upload'; readonly upload: SignedUploadAddress };

interface Collections extends Pick<CollectionRegistry, 'get' | 'list'> {
  /** `media.defaultBucket` */
  readonly defaultBucket: string;
}
type Endpoints = Pick<ModuleRegistry, 'match'>;

const UPLOAD = Symbol('upload');
const ENDPOINT = Symbol('endpoint');

interface MarkedRequest extends IncomingMessage {
  [UPLOAD]?: SignedUploadAddress;
  [ENDPOINT]?: EndpointMatch;
}

/** At least four segments. */
const BELOW_COLLECTION = /^(?:\/[^/]*){3}\/[^/]/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(['sign', 'config', 'count', 'stats']);

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
  registry: Collections,
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
  const only = findDefaultMediaCollection(registry, registry.defaultBucket);
  return only && { kind: 'path', collection: only, below };
}

/** `/api/media` and below. */
function resolveApiPath(
  registry: Collections,
  below: readonly string[],
  method: string | undefined,
): MediaTarget | undefined {
  const [token, ...deeper] = below;
  if (deeper.length > 0 || token === 'sign') return undefined;
  if (token !== undefined) return { kind: 'upload', upload: { token, collection: undefined } };
  const only = method === 'POST' ? findDefaultMediaCollection(registry, registry.defaultBucket) : undefined;
  return only && { kind: 'path', collection: only, below };
}

/** `/{version}/{database}/{collection}/{token}`. */
function resolveCollectionPath(registry: Collections, parts: readonly string[], method: string | undefined) {
  const [version = '', database = '', name = '', ...below] = parts;
  const collection = below.length === 1 ? registry.get(version, database, name) : undefined;
  if (collection === undefined || !collection.settings.media) return undefined;
  const target = resolveInCollection(collection, below, method);
  return target.kind === 'upload' ? target : undefined;
}

/** The target of a path; undefined for a path that is no alias. */
function resolveTarget(
  registry: Collections,
  path: string,
  method: string | undefined,
): MediaTarget | undefined {
  const isAlias = path.startsWith('/media') || path.startsWith('/api/media') || path.includes('%');
  // Fast path: most requests are no aliases.
  const mayBeUpload = method === 'POST' ? BELOW_COLLECTION.test(path) : isTokenShaped(path);
  if (!isAlias && !mayBeUpload) return undefined;
  const [first, second, ...rest] = pathSegments(path) ?? [];
  if (first === 'media')
    return resolveMediaPath(registry, second === undefined ? [] : [second, ...rest], method);
  if (first === 'api') return second === 'media' ? resolveApiPath(registry, rest, method) : undefined;
  return first === undefined || second === undefined
    ? undefined
    : resolveCollectionPath(registry, [first, second, ...rest], method);
}

/** The URL to route for a media alias or a signed upload; undefined for a path that is neither. */
function rewriteMedia(registry: Collections, raw: MarkedRequest, path: string): string | undefined {
  const target = resolveTarget(registry, path, raw.method);
  if (target === undefined) return undefined;
  if (target.kind === 'upload') {
    raw[UPLOAD] = target.upload;
    return SIGNED_UPLOAD_PATH;
  }
  const { version, database, name } = target.collection;
  return `/${[version, database, name, ...target.below].map(encodeURIComponent).join('/')}`;
}

/** The internal URL of a request for an endpoint; undefined for any other. */
function rewriteEndpoint(registry: Endpoints, raw: MarkedRequest, path: string): string | undefined {
  const match = registry.match(path);
  if (match === undefined) return undefined;
  raw[ENDPOINT] = match;
  const { sub } = match;
  if (sub.length === 0) return ENDPOINT_CALL_PATH;
  return `${ENDPOINT_ADMIN_PATH}/${sub.map(encodeURIComponent).join('/')}`;
}

interface RewriterSources {
  readonly collections: Pick<CollectionRegistry, 'get' | 'list'>;
  readonly endpoints: Endpoints;
  readonly defaultBucket: string;
}

/** Makes the rewriter over the live collections and endpoints. */
export function createUrlRewriter({
  collections: live,
  endpoints,
  defaultBucket,
}: RewriterSources): UrlRewriter {
  const collections: Collections = {
    get: (version, database, name) => live.get(version, database, name),
    list: () => live.list(),
    defaultBucket,
  };
  return {
    rewrite(raw) {
      const url = raw.url ?? '/';
      const path = urlPath(url);
      return rewriteMedia(collections, raw, path) ?? rewriteEndpoint(endpoints, raw, path) ?? url;
    },
    uploadOf: (raw: MarkedRequest) => raw[UPLOAD],
    endpointOf: (raw: MarkedRequest) => raw[ENDPOINT],
  };
}
