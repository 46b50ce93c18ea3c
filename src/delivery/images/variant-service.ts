// What the delivery of files asks of images, and the way of one variant from the request to its bytes.
import type { Readable } from 'node:stream';
import { AppError } from '../../errors/errors.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { ByteRange } from '../../stores/media-store.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { canonicalSettings, effectiveSettings } from '../recipes/query-overrides.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { type CompressedFiles, createCompressedFiles } from '../variants/compressed-files.ts';
import { canonicalPath, createFlushMatcher, type FlushNames } from '../variants/flush-pattern.ts';
import { createSingleFlight } from '../variants/single-flight.ts';
import {
  createMemoryVariant,
  type StoredVariant,
  type VariantInfo,
  type VariantStore,
} from '../variants/variant-store.ts';
import { type FormatCandidate, negotiateFormats } from './negotiate-format.ts';
import { createRecentFailures } from './recent-failures.ts';
import type { RenderJob, RenderLimits, RenderResult } from './render-job.ts';
import type { Renderer } from './renderer.ts';

export interface VariantRequest {
  /** An image recipe. */
  readonly recipe: Recipe;
  readonly source: OriginalFile;
  /** Which source and which file of it: `file:2026/11/photo.jpg` or `url:https://…`. With the validator it identifies the original. */
  readonly sourceId: string;
  /** As requested, without the name of the route or recipe, encoded. */
  readonly path: string;
  /** Value of `Accept`; empty when absent. */
  readonly accept: string;
  readonly query: URLSearchParams;
  /** The client has gone. A rendering that nobody else waits for and that has not begun is dropped. */
  readonly signal?: AbortSignal;
}

/** A variant before it exists: what is known of it, and the way to it. */
interface PlannedVariant extends VariantTag {
  /**
   * The variant, from the cache or rendered. Rejects with IMAGE_INVALID, IMAGE_TOO_LARGE, CROP_INVALID, RENDER_BUSY,
   * RENDER_TIMEOUT or RENDER_FAILED; with the error of the source.
   */
  variant(): Promise<Variant>;
}

/** What is known of a variant before it exists. */
interface VariantTag {
  /** Strong, with quotes. */
  readonly etag: string;
  /** Request headers that decided: `Accept`, or nothing. */
  readonly vary: readonly string[];
  /** Undefined: that of the original, mostly. */
  readonly contentType?: string | undefined;
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

/** Part of every key: to be raised when the same settings give another picture than before. */
const RENDERING = 2;
/** Fresh bodies up to this size are sent from memory, larger ones from the store that has just taken them. */
const MAX_SMALL_BYTES = 256 * 1024;

/** Of the formats that a recipe names. */
const CONTENT_TYPES: Readonly<Partial<Record<FormatCandidate, string>>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  json: 'application/json',
};

interface Plan {
  readonly key: string;
  readonly tag: VariantTag;
  readonly job: RenderJob;
}

/** The last part of what stands behind the name of the source. */
const fileNameOf = (sourceId: string) => sourceId.replace(/^[a-z]+:/, '').replace(/^.*\//s, '');

function planVariant(
  { recipe, source, sourceId, accept, query }: VariantRequest,
  limits: RenderLimits,
): Plan {
  const settings = effectiveSettings(recipe, query);
  const { candidates, varies } = negotiateFormats(settings.format, accept);
  // Only for an animation the later ones can matter: it goes to the first that moves.
  const considered = settings.animated === true ? candidates : candidates.slice(0, 1);
  const { maxPixels, maxOutputPixels, maxFrames } = limits;
  const identity = [RENDERING, recipe.name, recipe.version, settings, considered, maxFrames];
  const key = sha256Hex(JSON.stringify([...identity, sourceId, source.validator]));
  return {
    key,
    tag: {
      etag: `"${key.slice(0, 32)}"`,
      vary: varies ? ['Accept'] : [],
      contentType: CONTENT_TYPES[considered[0] ?? 'source'],
    },
    job: {
      settings,
      candidates: considered,
      limits: { maxPixels, maxOutputPixels, maxFrames },
      fileName: fileNameOf(sourceId),
    },
  };
}

function answer({ info, size, bytes, open }: StoredVariant, tag: VariantTag, cached: boolean): Variant {
  const { contentType, width, height } = info;
  return { ...tag, contentType, size, width, height, cached, bytes, open };
}

/** Renders what is planned. `signal`: everybody who waits has gone. */
async function renderPlanned(
  { job }: Plan,
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

/** Concurrent requests for one variant share its rendering. Failures are remembered for a moment. */
export function createVariantService(deps: VariantServiceDeps): VariantService {
  const { renderer, store, limits, now = () => performance.now() } = deps;
  const failures = createRecentFailures(now);
  const shared = createSingleFlight<{ readonly variant: StoredVariant; readonly cached: boolean }>();
  let flushes = 0;

  const rendered = async (plan: Plan, request: VariantRequest, signal: AbortSignal) => {
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

  const obtain = async (plan: Plan, request: VariantRequest): Promise<Variant> => {
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
