// What the delivery of files asks of images, and the way of one variant from the request to its bytes.
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { AppError, type ErrorCode } from '../../errors/errors.ts';
import type { ByteRange } from '../../stores/media-store.ts';
import { canonicalSettings } from '../recipes/setting-values.ts';
import { type CompressedFiles, createCompressedFiles } from '../variants/compressed-files.ts';
import { canonicalPath, createFlushMatcher, type FlushNames } from '../variants/flush-pattern.ts';
import { createSingleFlight } from '../variants/single-flight.ts';
import {
  createMemoryVariant,
  type StoredVariant,
  type VariantInfo,
  type VariantStore,
} from '../variants/variant-store.ts';
import { planVariant, type VariantPlan, type VariantRequest, type VariantTag } from './plan-variant.ts';
import type { RenderLimits, RenderResult } from './render-protocol.ts';
import type { Renderer } from './renderer.ts';

/** A variant before it exists: what is known of it, and the way to it. */
interface PlannedVariant extends VariantTag {
  /**
   * The variant, from the cache or rendered. Rejects with IMAGE_INVALID, IMAGE_TOO_LARGE, CROP_INVALID, RENDER_BUSY,
   * RENDER_TIMEOUT or RENDER_FAILED; with the error of the source.
   */
  variant(): Promise<Variant>;
}

export interface Variant extends VariantTag {
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; 0 for `format: json`. */
  readonly width: number;
  readonly height: number;
  /** Whether it was rendered before: `X-Cache`. */
  readonly cached: boolean;
  /** The whole body, where it is in memory. */
  readonly bytes: Buffer | undefined;
  /** The body or a part of it. The caller reads or destroys the stream. */
  open(range?: ByteRange): Promise<Readable>;
}

/** A variant that is kept nowhere. */
export interface UncachedVariant {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Request headers that decided: `Accept`, or nothing. */
  readonly vary: readonly string[];
}

export interface VariantService {
  /** Plans a variant, once for its ETag and its bytes, without reading the original. Throws PARAMETER_INVALID. */
  plan(request: VariantRequest): PlannedVariant;
  /** Files that are delivered as they are, compressed. */
  readonly compressed: CompressedFiles;
  /**
   * Forgets variants and compressed files: `*`; `/name/path`, with `*` at the end for a prefix; `/name/path?query`; `?query`.
   * Resolves with how many. Rejects with a StoreError where some may be found again.
   */
  flush(pattern: string, names: FlushNames): Promise<number>;
  close(): Promise<void>;
}

export interface VariantServiceDeps {
  readonly renderer: Renderer;
  readonly store: VariantStore;
  readonly limits: RenderLimits & { readonly maxSourceBytes: number };
  /** Milliseconds of a steady clock; that of the process unless given. */
  readonly now?: () => number;
}

/** Fresh bodies up to this size are sent from memory, larger ones from the store that has just taken them. */
const MAX_SMALL_BYTES = 256 * 1024;

function answer({ info, size, bytes, open }: StoredVariant, tag: VariantTag, cached: boolean): Variant {
  const { contentType, width, height } = info;
  return { ...tag, contentType, size, width, height, cached, bytes, open };
}

/** Renders what is planned. `signal`: everybody who waits has gone. */
async function renderPlanned(
  { job }: VariantPlan,
  { source, sourceId }: VariantRequest,
  {
    renderer,
    limits,
    signal,
  }: Pick<VariantServiceDeps, 'renderer' | 'limits'> & {
    readonly signal: AbortSignal | undefined;
  },
): Promise<RenderResult> {
  const { maxSourceBytes } = limits;
  if ((source.size ?? 0) > maxSourceBytes) {
    const message = `The image has more than ${maxSourceBytes} bytes`;
    throw new AppError('IMAGE_TOO_LARGE', { message });
  }
  const original = { size: source.size, open: () => source.open(), isRemote: sourceId.startsWith('url:') };
  return renderer.render(job, original, signal);
}

/** Renders a variant that nobody looks for again: it is not kept. Rejects as `variant` of a planned one does. */
export async function renderUncached(
  request: VariantRequest,
  { renderer, limits }: Pick<VariantServiceDeps, 'renderer' | 'limits'>,
): Promise<UncachedVariant> {
  const plan = planVariant(request, limits);
  const { info, body } = await renderPlanned(plan, request, { renderer, limits, signal: request.signal });
  return { bytes: body, contentType: info.contentType, vary: plan.tag.vary };
}

const MAX_REMEMBERED = 1000;
/** Of what is wrong with the original: another one has another key. */
const INVALID_MS = 30_000;
/** Of what may go well another time: what `Retry-After` says, so that who obeys it is not refused. */
const FAILED_MS = 5000;

const LIFETIMES: Readonly<Partial<Record<ErrorCode, number>>> = {
  IMAGE_INVALID: INVALID_MS,
  IMAGE_TOO_LARGE: INVALID_MS,
  CROP_INVALID: INVALID_MS,
  RENDER_TIMEOUT: FAILED_MS,
  RENDER_FAILED: FAILED_MS,
};

interface RecentFailures {
  /** Throws the error with which the rendering of this key failed a moment ago, if it did. */
  assertNone(key: string): void;
  /** Remembers an error of a rendering; any but those of the image and of its process is not kept. */
  add(key: string, error: unknown): void;
  clear(): void;
}

/**
 * Remembers the last 1000 renderings that failed: the same original with the same settings would fail again, and cost as much again.
 * `now`: milliseconds of any clock.
 */
export function createRecentFailures(now: () => number): RecentFailures {
  const failures = new LRUCache<string, { readonly error: AppError; readonly until: number }>({
    max: MAX_REMEMBERED,
  });
  return {
    assertNone(key) {
      const failure = failures.get(key);
      if (failure === undefined) return;
      if (now() < failure.until) throw failure.error;
      failures.delete(key);
    },
    add(key, error) {
      const lifetime = error instanceof AppError ? LIFETIMES[error.code] : undefined;
      if (lifetime !== undefined) failures.set(key, { error: error as AppError, until: now() + lifetime });
    },
    clear: () => failures.clear(),
  };
}

/** Concurrent requests for one variant share its rendering. Failures are remembered for a moment. */
export function createVariantService(deps: VariantServiceDeps): VariantService {
  const { renderer, store, limits, now = () => performance.now() } = deps;
  const failures = createRecentFailures(now);
  const shared = createSingleFlight<{ readonly variant: StoredVariant; readonly cached: boolean }>();
  let flushes = 0;

  const rendered = async (plan: VariantPlan, request: VariantRequest, signal: AbortSignal) => {
    const { key } = plan;
    const { sourceId, recipe } = request;
    failures.assertNone(key);
    const flushesBefore = flushes;
    const rendering = renderPlanned(plan, request, { renderer, limits, signal });
    const { info: image, body } = await rendering.catch((error: unknown) => {
      if (flushes === flushesBefore) failures.add(key, error);
      throw error;
    });
    const settings = canonicalSettings(recipe, request.query) ?? '';
    const path = canonicalPath(request.path);
    const info: VariantInfo = { ...image, recipe: recipe.name, path, source: sourceId, settings };
    // What was read before a flush may be what the flush is about.
    if (flushes === flushesBefore) await store.set(key, info, body);
    const stored = body.length > MAX_SMALL_BYTES ? await store.get(key) : undefined;
    return { variant: stored ?? createMemoryVariant(info, body), cached: false };
  };

  const obtain = async (plan: VariantPlan, request: VariantRequest): Promise<Variant> => {
    const found = await store.get(plan.key);
    if (found !== undefined) return answer(found, plan.tag, true);
    const begin = async (signal: AbortSignal) => {
      // Another rendering may have ended while this request looked.
      const again = await store.get(plan.key);
      return again === undefined ? rendered(plan, request, signal) : { variant: again, cached: true };
    };
    const { variant, cached } = await shared.run(plan.key, begin, request.signal);
    return answer(variant, plan.tag, cached);
  };

  return {
    plan(request) {
      const planned = planVariant(request, limits);
      return { ...planned.tag, variant: () => obtain(planned, request) };
    },
    compressed: createCompressedFiles({ store, flushes: () => flushes }),
    flush(pattern, names) {
      flushes += 1;
      failures.clear();
      return store.remove(createFlushMatcher(pattern, names));
    },
    async close() {
      await renderer.close();
      await store.close();
    },
  };
}
