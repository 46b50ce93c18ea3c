// Compression of answers: which coding a client takes, and the stream that makes it.
import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';

export type ContentEncoding = 'br' | 'gzip';

/** In the order of preference. */
const OFFERED_ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];
const MAX_MEMBERS = 50;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** Beyond this quality brotli takes several times as long for a few per cent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

/** Codings with their weights, in lower case. A weight that cannot be read refuses the coding. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',', MAX_MEMBERS)) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.length === 0 ? '1' : WEIGHT.exec(parameters[0] ?? '')?.[1];
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 0));
  }
  return weights;
}

/** The coding to send, undefined for none: the heaviest of those that `Accept-Encoding` takes (RFC 9110 12.5.3). */
export function negotiateContentEncoding(header: string | undefined): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const weights = parseWeights(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = OFFERED_ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  if (best === undefined || weightOf(best) === 0) return undefined;
  // Whoever would rather have it plain says so; without a word about it, plain is as good as anything.
  return (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

/** Makes the stream that compresses a body of `size` bytes, where known. */
export function createEncoder(encoding: ContentEncoding, size: number | undefined): Transform {
  if (encoding === 'gzip') return createGzip({ level: GZIP_LEVEL });
  const hint = size === undefined ? {} : { [constants.BROTLI_PARAM_SIZE_HINT]: size };
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, ...hint } });
}
