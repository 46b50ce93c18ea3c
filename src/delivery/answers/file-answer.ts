// The answer with a file as it is: whole, in part, compressed, or none at all because the client has it.
import { hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import type { SourceFile } from '../delivery.ts';
import type { Caching, DeliveryAnswer, FileRequest } from './answer.ts';
import { varyHeader } from './cache-headers.ts';
import { isCompressible, safetyHeaders } from './content-types.ts';
import { createEncoder, type Encoding, negotiateEncoding } from './encoding.ts';
import { isFresh, type Version } from './freshness.ts';
import { rangeOf } from './range.ts';

/** Bytes from which compressing is worth its work, and up to which it is done for a request. */
const MIN_COMPRESSED = 1024;
const MAX_COMPRESSED = 16_777_216;

interface FoundFile {
  readonly file: SourceFile;
  readonly contentType: string;
  /** Which source and which file of it. */
  readonly sourceId: string;
}

function versionOf({ file, contentType, sourceId }: FoundFile, encoding: Encoding | undefined): Version {
  const digest = hash('sha256', JSON.stringify([sourceId, file.validator, contentType]), 'base64url');
  const suffix = encoding === undefined ? '' : `-${encoding}`;
  return { etag: `"${digest.slice(0, 27)}${suffix}"`, modifiedAt: file.modifiedAt };
}

function mayCompress({ file: { size }, contentType }: FoundFile): boolean {
  const isFit = size === undefined || (size >= MIN_COMPRESSED && size <= MAX_COMPRESSED);
  return isFit && isCompressible(contentType);
}

const lengthHeader = (size: number | undefined): Readonly<Record<string, string>> =>
  size === undefined ? {} : { 'Content-Length': String(size) };

function versionHeaders({ etag, modifiedAt }: Version): Readonly<Record<string, string>> {
  const modified =
    modifiedAt === undefined ? {} : { 'Last-Modified': new Date(Math.max(0, modifiedAt)).toUTCString() };
  return { ETag: etag, ...modified };
}

function compressed(
  { file }: FoundFile,
  encoding: Encoding,
  headers: DeliveryAnswer['headers'],
): DeliveryAnswer {
  const body = async () => pipeline(await file.open(), createEncoder(encoding, file.size), () => undefined);
  return { status: 200, headers: { ...headers, 'Content-Encoding': encoding }, body };
}

function plain(
  { file }: FoundFile,
  {
    request,
    version,
    headers,
  }: { request: FileRequest; version: Version; headers: DeliveryAnswer['headers'] },
): DeliveryAnswer {
  const { size } = file;
  const range = size === undefined ? undefined : rangeOf(request, { size, version });
  if (range === 'none') {
    const refused = { 'Content-Range': `bytes */${size}`, 'Cache-Control': 'no-store' };
    return { status: 416, headers: { ...headers, ...refused, 'Content-Length': '0' }, body: undefined };
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

/** Describes the answer. Nothing of the file is read before its body is opened. */
export function fileAnswer(found: FoundFile, request: FileRequest, caching: Caching): DeliveryAnswer {
  const canCompress = mayCompress(found);
  // A part is one of the plain file: of a compressed one nobody could use it.
  const wantsPart = request.range !== undefined;
  const encoding = canCompress && !wantsPart ? negotiateEncoding(request.acceptEncoding) : undefined;
  const version = versionOf(found, encoding);
  const kept = {
    ...versionHeaders(version),
    ...varyHeader(canCompress ? [...caching.vary, 'Accept-Encoding'] : caching.vary),
    'Cache-Control': caching.cacheControl,
  };
  if (isFresh(request, version)) return { status: 304, headers: kept, body: undefined };
  const headers = { ...kept, 'Content-Type': found.contentType, ...safetyHeaders(found.contentType) };
  if (encoding !== undefined) return compressed(found, encoding, headers);
  return plain(found, { request, version, headers });
}
