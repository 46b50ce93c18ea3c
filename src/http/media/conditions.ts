// Conditional requests for files: what the client has already, and what it relies on (RFC 9110, 13).
import type { IncomingHttpHeaders } from 'node:http';
import { noneMatch } from '../etag.ts';

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

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** Seconds since the epoch; undefined for what is no date. */
function dateOf(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : seconds(at);
}

/** Compares strongly: a weak tag names no bytes. */
function matches(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((member) => member.trim() === tag);
}

/** `failed`: the file is not in the state that the client relies on. `unmodified`: the client has it already. */
export function checkConditions(
  headers: IncomingHttpHeaders,
  { tag, modifiedAt }: Validators,
): 'send' | 'unmodified' | 'failed' {
  const modified = seconds(modifiedAt);
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, tag)) return 'failed';
  } else {
    const unmodifiedSince = dateOf(headers['if-unmodified-since']);
    if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 'failed';
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return noneMatch(ifNoneMatch, tag) ? 'unmodified' : 'send';
  const modifiedSince = dateOf(headers['if-modified-since']);
  return modifiedSince !== undefined && modified <= modifiedSince ? 'unmodified' : 'send';
}

/** May a part be sent? False when `If-Range` names another state of the file: then the client needs all of it. */
export function mayBePartial(headers: IncomingHttpHeaders, { tag, modifiedAt }: Validators): boolean {
  const header = headers['if-range'];
  if (header === undefined) return true;
  const text = Array.isArray(header) ? header.join() : header;
  return text.trim() === tag || dateOf(text) === seconds(modifiedAt);
}
