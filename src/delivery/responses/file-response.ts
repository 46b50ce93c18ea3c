// Response with a file as it is: 200 (compressed where that pays), 206, 304 or 416.
import { hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { parseRange } from '../../lib/http/byte-range.ts';
import { evaluateConditions, matchesIfRange, type Validators } from '../../lib/http/conditional.ts';
import type { SourceFile } from '../model/delivery.ts';
import { varyHeader } from './cache-headers.ts';
import { type ContentEncoding, createEncoder, negotiateContentEncoding } from './content-encoding.ts';
import { isCompressible, safetyHeaders } from './content-types.ts';
import type { CacheOptions, DeliveryResponse, FileRequest } from './delivery-response.ts';

/** Bytes from which compressing is worth its work, and up to which it is done for a request. */
const MIN_COMPRESSED_BYTES = 1024;
const MAX_COMPRESSED_BYTES = 16_777_216;

interface FoundFile {
  readonly file: SourceFile;
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
  }: { request: FileRequest; version: Validators; headers: DeliveryResponse['headers'] },
): DeliveryResponse {
  const { size } = file;
  const mayBePart = size !== undefined && matchesIfRange(request.ifRange, version);
  const range = mayBePart ? parseRange(request.range, size) : undefined;
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
  request: FileRequest,
  caching: CacheOptions,
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
  const headers = { ...cacheHeaders, 'Content-Type': found.contentType, ...safetyHeaders(found.contentType) };
  if (encoding !== undefined) return compressedResponse(found, encoding, headers);
  return plainResponse(found, { request, version, headers });
}
