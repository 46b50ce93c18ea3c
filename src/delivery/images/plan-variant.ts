// Which variant a request means: its settings, its format, and with them its key, its ETag and the job that renders it.
import { parseQualityList } from '../../lib/http/quality-list.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import type { Recipe } from '../recipes/recipe.ts';
import type { FormatChoice } from '../recipes/setting-rules.ts';
import { effectiveSettings } from '../recipes/setting-values.ts';
import type { FormatCandidate, RenderJob, RenderLimits } from './render-protocol.ts';

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

/** What is known of a variant before it exists. */
export interface VariantTag {
  /** Strong, with quotes. */
  readonly etag: string;
  /** Request headers that decided: `Accept`, or nothing. */
  readonly vary: readonly string[];
  /** Undefined: that of the original, mostly. */
  readonly contentType?: string | undefined;
}

export interface NegotiatedFormats {
  /** In order of preference, never empty. */
  readonly candidates: readonly FormatCandidate[];
  /** Whether the header had a say. */
  readonly varies: boolean;
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

/** The media ranges of an `Accept` header (RFC 9110, 12.5.1). Those with a malformed weight are left out. */
function parseAccept(header: string): readonly MediaRange[] {
  return parseQualityList(header, { allowsParameters: true }).flatMap(({ value: type, quality }) =>
    quality === undefined ? [] : [{ type, quality }],
  );
}

const qualityOf = (ranges: readonly MediaRange[], type: string) =>
  ranges.find((range) => range.type === type)?.quality;

/** Less than a header can say. */
const MIN_QUALITY = 0.0001;

/** By the most specific range. What the header does not name comes last, for a client must get something. */
function qualityOfOld(ranges: readonly MediaRange[], type: string): number {
  const named = qualityOf(ranges, type) ?? qualityOf(ranges, 'image/*') ?? qualityOf(ranges, '*/*');
  return named ?? MIN_QUALITY;
}

const OLD: Readonly<Partial<Record<FormatCandidate, string>>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  compatible: 'image/jpeg',
};

/**
 * The order in which formats are tried. WebP and AVIF count as accepted only where the header names them: a wildcard comes
 * from clients that know neither. If nothing is acceptable, the last of the list.
 */
export function negotiateFormats(choice: FormatChoice | undefined, accept: string): NegotiatedFormats {
  if (choice === undefined) return { candidates: ['source'], varies: false };
  if (choice === 'json') return { candidates: ['json'], varies: false };
  const list: readonly FormatCandidate[] = choice === 'auto' ? ['avif', 'webp', 'compatible'] : choice;
  const last = list.at(-1) ?? 'source';
  if (list.length === 1) return { candidates: [last], varies: false };
  const ranges = parseAccept(accept);
  const rated = list.map((candidate) => {
    const type = OLD[candidate];
    const quality = type === undefined ? qualityOf(ranges, `image/${candidate}`) : qualityOfOld(ranges, type);
    return { candidate, quality: quality ?? 0 };
  });
  const accepted = rated.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  const candidates = accepted.map(({ candidate }) => candidate);
  return { candidates: candidates.length === 0 ? [last] : candidates, varies: true };
}

/** Part of every key: to be raised when the same settings give another picture than before. */
const RENDERING = 2;
/** Of the formats that a recipe names. */
const CONTENT_TYPES: Readonly<Partial<Record<FormatCandidate, string>>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  json: 'application/json',
};

/** What is to be rendered, and the key under which it is kept. */
export interface VariantPlan {
  readonly key: string;
  readonly tag: VariantTag;
  readonly job: RenderJob;
}

/** The last part of what stands behind the name of the source. */
const fileNameOf = (sourceId: string) => sourceId.replace(/^[a-z]+:/, '').replace(/^.*\//s, '');

/** Plans a variant, without reading the original. Throws PARAMETER_INVALID. */
export function planVariant(
  { recipe, source, sourceId, accept, query }: VariantRequest,
  limits: RenderLimits,
): VariantPlan {
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
