// Which formats an answer may have: the recipe's choice against the Accept header.
import { parseQualityList } from '../../lib/http/quality-list.ts';
import type { FormatChoice, RasterFormat } from '../recipes/setting-rules.ts';

/** `source`: the format of the original. `compatible`: the same, but one that every browser shows. */
export type FormatCandidate = RasterFormat | 'source' | 'compatible' | 'json';

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
