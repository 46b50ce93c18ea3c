// Conditional requests for files: what the client has already, and what it relies on (RFC 9110, 13).
import type { IncomingHttpHeaders } from 'node:http';
import { matchesIfNoneMatch } from '../documents/etag.ts';

export interface Validators {
  /** A strong entity tag. */
  readonly tag: string;
  /** Epoch milliseconds; only whole seconds count. */
  readonly modifiedAt: number;
}

/** The three forms that an HTTP date may have: the usual one, that of RFC 850, that of C's `asctime`. */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** Seconds since the epoch; undefined for what is no date. */
function parseHttpSeconds(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : toSeconds(at);
}

/** Compares strongly: a weak tag names no bytes. */
function matchesIfMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((member) => member.trim() === tag);
}

/** `failed`: the file is not in the state that the client relies on. `unmodified`: the client has it already. */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  { tag, modifiedAt }: Validators,
): 'send' | 'unmodified' | 'failed' {
  const modified = toSeconds(modifiedAt);
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!matchesIfMatch(ifMatch, tag)) return 'failed';
  } else {
    const unmodifiedSince = parseHttpSeconds(headers['if-unmodified-since']);
    if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 'failed';
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return matchesIfNoneMatch(ifNoneMatch, tag) ? 'unmodified' : 'send';
  const modifiedSince = parseHttpSeconds(headers['if-modified-since']);
  return modifiedSince !== undefined && modified <= modifiedSince ? 'unmodified' : 'send';
}

/** May a part be sent? False when `If-Range` names another state of the file: then the client needs all of it. */
export function matchesIfRange(headers: IncomingHttpHeaders, { tag, modifiedAt }: Validators): boolean {
  const header = headers['if-range'];
  if (header === undefined) return true;
  const text = Array.isArray(header) ? header.join() : header;
  return text.trim() === tag || parseHttpSeconds(text) === toSeconds(modifiedAt);
}
