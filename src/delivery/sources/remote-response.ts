// The answer of another web server: what its head says about the file behind it, and a part of its body.
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '../../errors/errors.ts';
import { onceClosed } from '../../lib/async/ownership.ts';
import type { ByteRange } from '../../stores/media-store.ts';
import type { OriginalFile } from '../model/delivery-types.ts';

const ABSENT: ReadonlySet<number> = new Set([404, 410]);
const MAX_TYPE_LENGTH = 200;
const MEDIA_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:"(?:[^"\\]|\\.)*"|[\w!#$&^.+-]+))*$/;
/** How long variants of a file are kept of which its server does not say when it changes. */
const UNKNOWN_MS = 60_000;

function sizeOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function typeOf({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type']?.trim();
  return type !== undefined && type.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(type) ? type : undefined;
}

/** Throws ORIGIN_FAILED for an answer that has no plain file, or a part of one that was to be whole. */
function assertFile({ statusCode, headers }: IncomingMessage, mayBePart: boolean): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const isTaken = statusCode === 200 || (statusCode === 206 && mayBePart);
  if (isTaken && encoding === 'identity') return;
  throw new AppError('ORIGIN_FAILED');
}

/** The file that an answer has; undefined when the server says that there is none. Throws ORIGIN_FAILED. */
export function describeResponse(
  answer: IncomingMessage,
  now: number,
  { mayBePart = false } = {},
): Omit<OriginalFile, 'open'> | undefined {
  if (ABSENT.has(answer.statusCode ?? 0)) return undefined;
  assertFile(answer, mayBePart);
  const { etag, 'last-modified': modified } = answer.headers;
  const size = sizeOf(answer);
  const version = etag ?? modified ?? String(Math.floor(now / UNKNOWN_MS));
  const modifiedAt = modified === undefined ? Number.NaN : Date.parse(modified);
  return {
    size,
    modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
    validator: hash('sha256', version, 'base64url'),
    contentType: typeOf(answer),
  };
}

/** Value of the `Range` header. */
export const rangeHeader = ({ start, end }: ByteRange): string => `bytes=${start}-${end}`;

/** Throws ORIGIN_FAILED when an answer with a part has another than the one that was asked for. */
export function assertPartialContent({ headers }: IncomingMessage, { start, end }: ByteRange): void {
  const isThisPart = headers['content-range']?.trim().startsWith(`bytes ${start}-${end}/`) === true;
  if (!isThisPart) throw new AppError('ORIGIN_FAILED', { message: 'The origin gives another part' });
}

/**
 * A part of a file whose server sends only the whole, which is read from its start, and destroyed after the last byte or with the
 * result.
 */
export function partOfStream(whole: Readable, { start, end }: ByteRange): Readable {
  const pieces = async function* () {
    let at = 0;
    for await (const chunk of whole as AsyncIterable<Buffer>) {
      const from = Math.max(0, start - at);
      if (from < chunk.length) yield chunk.subarray(from, end + 1 - at);
      at += chunk.length;
      if (at > end) return;
    }
  };
  const part = Readable.from(pieces(), { objectMode: false });
  onceClosed(part, () => whole.destroy());
  return part;
}
