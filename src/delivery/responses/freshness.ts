// Whether the client has the answer already: `If-None-Match` and `If-Modified-Since` (RFC 9110 13.1).

/** The headers of a request that ask. */
export interface Preconditions {
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

/** The answer that would be sent. */
export interface FileVersion {
  /** Strong, with quotes. */
  readonly etag: string;
  /** Epoch milliseconds, where known. */
  readonly modifiedAt: number | undefined;
}

const TAG = /(?:W\/)?("[^"]*")/g;

/** Epoch milliseconds of a date header. Undefined for what is no HTTP date. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]+, .* GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Milliseconds that a date header can say. */
export const truncateToSecond = (time: number) => Math.floor(time / 1000) * 1000;

/** True when the client has this version: then 304 is the answer. The date counts only where there is no tag. */
export function isFresh(
  { ifNoneMatch, ifModifiedSince }: Preconditions,
  { etag, modifiedAt }: FileVersion,
): boolean {
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() === '*') return true;
    return [...ifNoneMatch.matchAll(TAG)].some(([, tag]) => tag === etag);
  }
  const since = ifModifiedSince === undefined ? undefined : parseHttpDate(ifModifiedSince);
  return since !== undefined && modifiedAt !== undefined && truncateToSecond(modifiedAt) <= since;
}
