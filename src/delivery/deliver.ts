// The way of a delivered request: path, route or recipe, decision, original, then a variant or the file as it is.
import type { Readable } from 'node:stream';
import { AppError } from '../errors/errors.ts';
import { evaluateConditions } from '../lib/http/conditional.ts';
import { BINARY_TYPE, essence } from '../lib/http/media-types.ts';
import type { VariantService } from './images/variant-service.ts';
import type { OriginalFile, OriginalSource, RouteDecision, Visitor } from './model/delivery-types.ts';
import type { Recipe } from './recipes/recipe.ts';
import { effectiveSettings } from './recipes/setting-values.ts';
import { cacheControlHeader, consultedHeaders, varyHeader } from './responses/cache-headers.ts';
import {
  deliveredContentType,
  detectImageType,
  isRasterImage,
  SIGNATURE_BYTES,
} from './responses/content-types.ts';
import {
  type CacheHeaderOptions,
  createFileResponse,
  type DeliveryResponse,
  type FileRequestHeaders,
  preconditionFailed,
} from './responses/file-response.ts';
import type { RouteDecider } from './routes/decide-route.ts';
import { type OriginalAddress, originalAddress, sourceIdOf, splitName } from './sources/original-path.ts';
import type { RemoteSource } from './sources/remote-source.ts';
import type { ContentEncoding } from './variants/compressed-files.ts';

export interface DeliveryRequest extends FileRequestHeaders {
  /** As the client sent it, without the query string; begins with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly visitor: Visitor;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface DeliverDeps {
  readonly routes: RouteDecider;
  readonly recipes: {
    find(name: string): Recipe | undefined;
    /** `delivery.plainRecipe`: of images that are asked for by their plain path with a query string; undefined where none is. */
    plain(): Recipe | undefined;
  };
  /** Opened by the first image that is asked for. */
  readonly images: () => Promise<Pick<VariantService, 'plan' | 'compressed'>>;
  readonly source: OriginalSource;
  /** Undefined where other web servers are not asked. */
  readonly remote: RemoteSource | undefined;
  /** What stands in for a missing image; undefined where nothing does. */
  readonly fallback: () => Promise<OriginalFile | undefined>;
  /** `notFound.statusCode`: of a missing image, and of what stands in for it. */
  readonly missingImageStatus: number;
  /** `delivery.cacheControl` */
  readonly cacheControl: string;
  /** `delivery.cacheControlByType`: by media type, without parameters. */
  readonly cacheControlByType: ReadonlyMap<string, string>;
}

/** What a path asks for. */
interface Wish {
  /** Undefined for a file as it is. */
  readonly recipe: Recipe | undefined;
  /** True where the path names no recipe: that of plain images may apply all the same. */
  readonly isPlain: boolean;
  /** What is left of the path, encoded. */
  readonly rest: string;
  readonly decision: Pick<RouteDecision, 'consulted' | 'maxAge'>;
}

interface Original {
  readonly file: OriginalFile;
  readonly contentType: string;
  /** Which source and which file of it. */
  readonly sourceId: string;
  /** True for what stands in for a missing one. */
  readonly isStandIn: boolean;
}

const NO_DECISION: Wish['decision'] = { consulted: new Set() };

const unknownUri = () => new AppError('NOT_FOUND', { message: 'Unknown URI' });
const fileNotFound = (status?: number) =>
  new AppError('NOT_FOUND', { message: 'File not found', ...(status !== undefined && { status }) });

/** True for the name of an image; where the recipe takes files from no other place, for one that tells no type, too. */
function mayBeImage(path: string, recipe: Recipe): boolean {
  const type = deliveredContentType(path, undefined);
  return isRasterImage(type) || (type === BINARY_TYPE && recipe.path === undefined);
}

/** A file as it is; where there is a query string, an image by the recipe of plain images. Other servers' are asked by name only. */
function plainWish({ path, query }: Pick<DeliveryRequest, 'path' | 'query'>, deps: DeliverDeps): Wish {
  const plain = { recipe: undefined, isPlain: true, rest: path.slice(1), decision: NO_DECISION };
  if (query.size === 0) return plain;
  const recipe = deps.recipes.plain();
  const address = recipe?.kind === 'image' ? originalAddress(plain.rest, undefined) : undefined;
  if (recipe === undefined || address === undefined || 'url' in address) return plain;
  return mayBeImage(address.path, recipe) ? { ...plain, recipe } : plain;
}

/** A route of that name, else a recipe of that name, else the whole path is that of a file. */
async function readPath(request: DeliveryRequest, deps: DeliverDeps): Promise<Wish> {
  const { path, visitor } = request;
  const split = splitName(path);
  if (split === undefined) return plainWish(request, deps);
  const { name, rest } = split;
  const decision = await deps.routes.decide(name, visitor);
  if (decision !== undefined) {
    const recipe = decision.recipe === null ? undefined : deps.recipes.find(decision.recipe);
    if (recipe === undefined) throw unknownUri();
    return { recipe, isPlain: false, rest, decision };
  }
  const recipe = deps.recipes.find(name);
  if (recipe === undefined) return plainWish(request, deps);
  return { recipe, isPlain: false, rest, decision: NO_DECISION };
}

function find(
  address: OriginalAddress,
  { source, remote }: Pick<DeliverDeps, 'source' | 'remote'>,
): Promise<OriginalFile | undefined> {
  if ('path' in address) return source.find(address.path);
  if (remote === undefined) throw new AppError('ORIGIN_REFUSED');
  return remote.find(address.url);
}

/** The type, of which the first bytes tell where neither name nor source does and it matters: whether an image is rendered. */
async function typeOf(path: string, file: OriginalFile, recipe: Recipe | undefined): Promise<string> {
  const type = deliveredContentType(path, file.contentType);
  const isShort = file.size !== undefined && file.size < SIGNATURE_BYTES;
  if (recipe?.kind !== 'image' || type !== BINARY_TYPE || isShort) return type;
  // Where the size is not known, the file may be shorter than any part of it.
  const start = await file.open(file.size === undefined ? undefined : { start: 0, end: SIGNATURE_BYTES - 1 });
  return detectImageType(await firstBytes(start, SIGNATURE_BYTES)) ?? type;
}

/** The first bytes of a stream, which is destroyed then. */
async function firstBytes(stream: Readable, count: number): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, piece]).subarray(0, count);
    if (bytes.length === count) break;
  }
  return bytes;
}

/** Statuses of errors. */
const MIN_ERROR_STATUS = 400;

async function standIn(
  path: string,
  { fallback, missingImageStatus: status }: Pick<DeliverDeps, 'fallback' | 'missingImageStatus'>,
): Promise<Original> {
  if (!isRasterImage(deliveredContentType(path, undefined))) throw fileNotFound();
  const file = await fallback();
  if (file === undefined) throw fileNotFound(status < MIN_ERROR_STATUS ? undefined : status);
  const contentType = deliveredContentType('', file.contentType);
  return { file, contentType, sourceId: 'fallback', isStandIn: true };
}

/** Rejects with NOT_FOUND, ORIGIN_REFUSED, and with the errors of sources. */
export async function findOriginal(
  { recipe, rest }: Pick<Wish, 'recipe' | 'rest'>,
  deps: Pick<DeliverDeps, 'source' | 'remote' | 'fallback' | 'missingImageStatus'>,
): Promise<Original> {
  // A plain file is one of this server: other servers' are delivered by name only.
  const address = originalAddress(rest, recipe?.path);
  if (address === undefined || (recipe === undefined && 'url' in address)) throw fileNotFound();
  const path = 'path' in address ? address.path : address.url.pathname;
  const file = await find(address, deps);
  if (file === undefined) return standIn(path, deps);
  const contentType = await typeOf(path, file, recipe);
  return { file, contentType, sourceId: sourceIdOf(address), isStandIn: false };
}

/** Errors and what stands in are never kept: the image may be there at the next request. */
function cachingOf(
  { decision }: Wish,
  { isStandIn, contentType }: Pick<Original, 'isStandIn' | 'contentType'>,
  { cacheControl, cacheControlByType }: DeliverDeps,
): CacheHeaderOptions {
  const vary = consultedHeaders(decision.consulted);
  if (isStandIn) return { vary, cacheControl: 'no-store' };
  const setting = cacheControlByType.get(essence(contentType)) ?? cacheControl;
  return { vary, cacheControl: cacheControlHeader(setting, decision) };
}

interface Rendering {
  readonly recipe: Recipe;
  readonly wish: Wish;
  readonly original: Original;
}

async function variantAnswer(
  { recipe, wish, original }: Rendering,
  request: DeliveryRequest,
  deps: DeliverDeps,
): Promise<DeliveryResponse> {
  const images = await deps.images();
  const { accept, query, signal } = request;
  const { file: source, sourceId } = original;
  const planned = images.plan({ recipe, source, sourceId, path: wish.rest, accept, query, signal });
  const { etag, vary, contentType = original.contentType } = planned;
  const caching = cachingOf(wish, { isStandIn: original.isStandIn, contentType }, deps);
  const kept = {
    ...(!original.isStandIn && { ETag: etag }),
    ...varyHeader([...caching.vary, ...vary]),
    'Cache-Control': caching.cacheControl,
  };
  const version = { etag, modifiedAt: undefined };
  const result = original.isStandIn ? 'send' : evaluateConditions(request, version);
  if (result === 'failed') throw preconditionFailed();
  if (result === 'unmodified') return { status: 304, headers: kept, body: undefined };
  const variant = await planned.variant();
  const headers = {
    ...kept,
    'Content-Type': variant.contentType,
    'Content-Length': String(variant.size),
    'X-Cache': variant.cached ? 'HIT' : 'MISS',
  };
  const status = original.isStandIn ? deps.missingImageStatus : 200;
  return { status, headers, body: variant.bytes ?? (() => variant.open()) };
}

/** Makes what compresses this file; undefined where the recipe says that nothing is to be. */
function createCompress(
  { recipe, rest }: Wish,
  original: Original,
  { signal }: DeliveryRequest,
  deps: DeliverDeps,
) {
  if (recipe?.compress === false) return undefined;
  const { file, contentType, sourceId } = original;
  return async (encoding: ContentEncoding) => {
    // Where compressed files cannot be kept, files are sent as they are.
    const images = await deps.images().catch(() => undefined);
    const wanted = { file, contentType, sourceId, recipe: recipe?.name ?? '', path: rest };
    return images?.compressed.find({ ...wanted, encoding, signal });
  };
}

/** The file as it is; what stands in for a missing one is sent whole. */
async function originalAnswer(
  wish: Wish,
  original: Original,
  request: DeliveryRequest,
  deps: DeliverDeps,
): Promise<DeliveryResponse> {
  const compress = createCompress(wish, original, request, deps);
  const options = { ...cachingOf(wish, original, deps), compress };
  if (!original.isStandIn) return createFileResponse(original, request, options);
  const whole = { acceptEncoding: request.acceptEncoding, range: undefined, ifRange: undefined };
  const answer = await createFileResponse(original, whole, options);
  const { ETag, 'Last-Modified': modified, 'Accept-Ranges': ranges, ...headers } = answer.headers;
  return { ...answer, headers, status: deps.missingImageStatus };
}

/**
 * Describes the answer to a request; its body is opened by whoever sends it. Rejects with an AppError: NOT_FOUND,
 * PARAMETER_INVALID, those of images and of other web servers; with a StoreError where a source is away.
 */
export async function deliver(request: DeliveryRequest, deps: DeliverDeps): Promise<DeliveryResponse> {
  const wish = await readPath(request, deps);
  const original = await findOriginal(wish, deps);
  const { recipe } = wish;
  if (recipe?.kind === 'image' && isRasterImage(original.contentType)) {
    // A query string that says nothing of the image, such as the number of a version, changes nothing of it.
    const changes = !wish.isPlain || Object.keys(effectiveSettings(recipe, request.query)).length > 0;
    if (changes) return variantAnswer({ recipe, wish, original }, request, deps);
  }
  return originalAnswer(wish, original, request, deps);
}
