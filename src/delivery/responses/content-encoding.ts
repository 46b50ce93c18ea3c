// Content coding of a response: negotiated by `Accept-Encoding`, made by a stream.
import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { parseQualityList } from '../../lib/http/quality-list.ts';

export type ContentEncoding = 'br' | 'gzip';

/** In the order of preference. */
const OFFERED_ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

/** Beyond this quality brotli takes several times as long for a few per cent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

/** Weights by coding, in lower case. A malformed weight rejects the coding. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const members = parseQualityList(header);
  return new Map(members.map(({ value, quality }) => [value === 'x-gzip' ? 'gzip' : value, quality ?? 0]));
}

/** The coding with the highest weight in `Accept-Encoding` (RFC 9110, 12.5.3). Undefined: send the body as it is. */
export function negotiateContentEncoding(header: string | undefined): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const weights = parseWeights(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = OFFERED_ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  if (best === undefined || weightOf(best) === 0) return undefined;
  // Without a weight for `identity`, any acceptable coding is as welcome.
  return (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

/** Makes the stream that compresses a body of `size` bytes, where known. */
export function createEncoder(encoding: ContentEncoding, size: number | undefined): Transform {
  if (encoding === 'gzip') return createGzip({ level: GZIP_LEVEL });
  const hint = size === undefined ? {} : { [constants.BROTLI_PARAM_SIZE_HINT]: size };
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, ...hint } });
}
