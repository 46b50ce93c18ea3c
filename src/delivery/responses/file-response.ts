// Response with a file as it is: 200 (compressed where that pays), 206, 304 or 416.

import { hash } from 'node:crypto';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import {
  type ConditionalHeaders,
  evaluateConditions,
  matchesIfRange,
  parseByteRange,
  type Validators,
} from '../../lib/http/conditional.ts';
import { parseQualityList } from '../../lib/http/quality-list.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { varyHeader } from './cache-headers.ts';
import { isCompressible, securityHeaders } from './content-types.ts';

type ContentEncoding = 'br' | 'gzip';

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

/** The headers of a request that decide how a file is sent. */
export interface FileRequestHeaders extends Pick<ConditionalHeaders, 'ifNoneMatch' | 'ifModifiedSince'> {
  readonly acceptEncoding: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export interface DeliveryResponse {
  readonly status: 200 | 206 | 304 | 404 | 416;
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

/** Bytes from which compressing is worth its work, and up to which it is done for a request. */
const MIN_COMPRESSED_BYTES = 1024;
const MAX_COMPRESSED_BYTES = 16_777_216;

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

function compressedResponse(
  { file }: FoundFile,
  encoding: ContentEncoding,
  headers: DeliveryResponse['headers'],
): DeliveryResponse {
  const body = async () => pipeline(await file.open(), createEncoder(encoding, file.size), () => undefined);
  return { status: 200, headers: { ...headers, 'Content-Encoding': encoding }, body };
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

/** Makes the response. Nothing of the file is read before its body is opened. */
export function createFileResponse(
  found: FoundFile,
  request: FileRequestHeaders,
  caching: CacheHeaderOptions,
): DeliveryResponse {
  const canCompress = isCompressibleFile(found);
  // Ranges are ranges of the plain file: those of a compressed one would be of no use.
  const wantsPart = request.range !== undefined;
  const encoding = canCompress && !wantsPart ? negotiateContentEncoding(request.acceptEncoding) : undefined;
  const version = versionOf(found, encoding);
  const cacheHeaders = {
    ...versionHeaders(version),
    ...varyHeader(canCompress ? [...caching.vary, 'Accept-Encoding'] : caching.vary),
    'Cache-Control': caching.cacheControl,
  };
  if (evaluateConditions(request, version) === 'unmodified')
    return { status: 304, headers: cacheHeaders, body: undefined };
  const headers = {
    ...cacheHeaders,
    'Content-Type': found.contentType,
    ...securityHeaders(found.contentType),
  };
  if (encoding !== undefined) return compressedResponse(found, encoding, headers);
  return plainResponse(found, { request, version, headers });
}
