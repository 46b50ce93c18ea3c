// Response with a file as it is: 200 (compressed where that pays), 206, 304 or 416.

import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../errors/errors.ts';
import {
  type ConditionalHeaders,
  evaluateConditions,
  matchesIfRange,
  parseByteRange,
  type Validators,
} from '../../lib/http/conditional.ts';
import { parseQualityList } from '../../lib/http/quality-list.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { type ContentEncoding, MAX_COMPRESSED_BYTES } from '../variants/compressed-files.ts';
import type { StoredVariant } from '../variants/variant-store.ts';
import { varyHeader } from './cache-headers.ts';
import { isCompressible, securityHeaders } from './content-types.ts';

/** In the order of preference. */
const OFFERED_ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

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

/** The headers of a request that decide how a file is sent. */
export interface FileRequestHeaders extends ConditionalHeaders {
  readonly acceptEncoding: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** The error for a condition of the request that does not hold. */
export const preconditionFailed = () =>
  new AppError('PRECONDITION_FAILED', { message: 'The file is not in the state that is asked for' });

export interface DeliveryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the body, which is then to be read or destroyed; bytes where it is in memory; undefined where there is none. */
  readonly body: (() => Promise<Readable>) | Buffer | undefined;
}

/** Headers that follow from how the file was chosen. */
export interface CacheHeaderOptions {
  readonly cacheControl: string;
  /** Names of the request headers that were looked at. */
  readonly vary: readonly string[];
}

/** Bytes from which compressing is worth its work. */
const MIN_COMPRESSED_BYTES = 1024;

interface FoundFile {
  readonly file: OriginalFile;
  readonly contentType: string;
  /** Which source and which file of it. */
  readonly sourceId: string;
}

function versionOf(
  { file, contentType, sourceId }: FoundFile,
  encoding: ContentEncoding | undefined,
): Validators {
  const digest = hash('sha256', JSON.stringify([sourceId, file.validator, contentType]), 'base64url');
  const suffix = encoding === undefined ? '' : `-${encoding}`;
  return { etag: `"${digest.slice(0, 27)}${suffix}"`, modifiedAt: file.modifiedAt };
}

function isCompressibleFile({ file: { size }, contentType }: FoundFile): boolean {
  const isFit = size === undefined || (size >= MIN_COMPRESSED_BYTES && size <= MAX_COMPRESSED_BYTES);
  return isFit && isCompressible(contentType);
}

const lengthHeader = (size: number | undefined): Readonly<Record<string, string>> =>
  size === undefined ? {} : { 'Content-Length': String(size) };

function versionHeaders({ etag, modifiedAt }: Validators): Readonly<Record<string, string>> {
  const modified =
    modifiedAt === undefined ? {} : { 'Last-Modified': new Date(Math.max(0, modifiedAt)).toUTCString() };
  return { ETag: etag, ...modified };
}

/** What a compressed response needs of the form that was made. */
type CompressedBody = Pick<StoredVariant, 'size' | 'bytes' | 'open'>;

function compressedResponse(
  body: CompressedBody,
  encoding: ContentEncoding,
  headers: DeliveryResponse['headers'],
): DeliveryResponse {
  return {
    status: 200,
    headers: { ...headers, 'Content-Encoding': encoding, ...lengthHeader(body.size) },
    body: body.bytes ?? (() => body.open()),
  };
}

function plainResponse(
  { file }: FoundFile,
  {
    request,
    version,
    headers,
  }: { request: FileRequestHeaders; version: Validators; headers: DeliveryResponse['headers'] },
): DeliveryResponse {
  const { size } = file;
  const mayBePart = size !== undefined && matchesIfRange(request.ifRange, version);
  const range = mayBePart ? parseByteRange(request.range, size) : undefined;
  if (range === 'unsatisfiable') {
    const unsatisfiable = { 'Content-Range': `bytes */${size}`, 'Cache-Control': 'no-store' };
    return { status: 416, headers: { ...headers, ...unsatisfiable, 'Content-Length': '0' }, body: undefined };
  }
  const ranges = size === undefined ? {} : { 'Accept-Ranges': 'bytes' };
  if (range === undefined) {
    const whole = { ...headers, ...ranges, ...lengthHeader(size) };
    return { status: 200, headers: whole, body: () => file.open() };
  }
  const part = { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` };
  const partial = { ...headers, ...ranges, ...part, ...lengthHeader(range.end - range.start + 1) };
  return { status: 206, headers: partial, body: () => file.open(range) };
}

export interface FileResponseOptions extends CacheHeaderOptions {
  /** Gives the compressed file; undefined where it is to be sent as it is. Absent: nothing is compressed. */
  readonly compress?: ((encoding: ContentEncoding) => Promise<CompressedBody | undefined>) | undefined;
}

/** Makes the response. Nothing of the file is read before its body is opened, except to compress it. */
export async function createFileResponse(
  found: FoundFile,
  request: FileRequestHeaders,
  { compress, ...caching }: FileResponseOptions,
): Promise<DeliveryResponse> {
  const canCompress = compress !== undefined && isCompressibleFile(found);
  // Ranges are ranges of the plain file: those of a compressed one would be of no use.
  const wantsPart = request.range !== undefined;
  const encoding = canCompress && !wantsPart ? negotiateContentEncoding(request.acceptEncoding) : undefined;
  const vary = varyHeader(canCompress ? [...caching.vary, 'Accept-Encoding'] : caching.vary);
  const cacheHeaders = (version: Validators) => ({
    ...versionHeaders(version),
    ...vary,
    'Cache-Control': caching.cacheControl,
  });
  const contentHeaders = { 'Content-Type': found.contentType, ...securityHeaders(found.contentType) };

  const version = versionOf(found, encoding);
  const result = evaluateConditions(request, version);
  if (result === 'failed') throw preconditionFailed();
  if (result === 'unmodified') return { status: 304, headers: cacheHeaders(version), body: undefined };
  const compressed = encoding === undefined ? undefined : await compress?.(encoding);
  if (encoding !== undefined && compressed !== undefined)
    return compressedResponse(compressed, encoding, { ...cacheHeaders(version), ...contentHeaders });
  const plain = versionOf(found, undefined);
  return plainResponse(found, {
    request,
    version: plain,
    headers: { ...cacheHeaders(plain), ...contentHeaders },
  });
}
