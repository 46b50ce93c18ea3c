// Evaluates conditional and range requests (RFC 9110, 13 and 14.2): `If-Match`, `If-None-Match`, the two dates, `If-Range`, and
// `Range`, of which one range of bytes is answered and several are ignored.

/** The conditional headers of a request. `If-Range` is a matter of its own. */
export interface ConditionalHeaders {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

/** What identifies the current state of a resource. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** Epoch milliseconds, of which only whole seconds count; undefined where unknown. */
  readonly modifiedAt: number | undefined;
}

/** `failed`: a precondition does not hold (412). `unmodified`: the client has this state already (304). */
export type ConditionResult = 'send' | 'unmodified' | 'failed';

/** The three forms of an HTTP date that a recipient must accept: IMF-fixdate, RFC 850, `asctime`. */
const HTTP_DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];
/** One member of a list of entity tags, up to its comma. Tags may hold commas themselves. */
const ETAG_MEMBER = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*|[^,]*)(?:,|$)/y;

const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** Seconds since the epoch; undefined for anything but an HTTP date. */
export function parseHttpDate(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : toSeconds(time);
}

/** True when the list names the tag. Malformed members are skipped; a strong comparison skips weak tags too. */
function listsEtag(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (header === etag || header.trim() === '*') return true;
  ETAG_MEMBER.lastIndex = 0;
  while (ETAG_MEMBER.lastIndex < header.length) {
    const [, weak, tag] = ETAG_MEMBER.exec(header) ?? [];
    if (tag === etag && (weak === undefined || comparison === 'weak')) return true;
  }
  return false;
}

/** True when `If-None-Match` names this tag: the client has the state. Compares weakly (13.1.2). */
export function matchesIfNoneMatch(header: string | undefined, etag: string): boolean {
  return header !== undefined && listsEtag(header, etag, 'weak');
}

/** True when the date is not before the last modification. False where either is unknown. */
const isUnmodifiedSince = (date: number | undefined, { modifiedAt }: Validators) =>
  date !== undefined && modifiedAt !== undefined && toSeconds(modifiedAt) <= date;

function preconditionFails(conditions: ConditionalHeaders, validators: Validators): boolean {
  const { ifMatch } = conditions;
  if (ifMatch !== undefined) return !listsEtag(ifMatch, validators.etag, 'strong');
  const date = parseHttpDate(conditions.ifUnmodifiedSince);
  return date !== undefined && validators.modifiedAt !== undefined && !isUnmodifiedSince(date, validators);
}

/** Evaluates the conditions of a GET or HEAD in the order of 13.2.2: a tag wins over a date. */
export function evaluateConditions(conditions: ConditionalHeaders, validators: Validators): ConditionResult {
  if (preconditionFails(conditions, validators)) return 'failed';
  const { ifNoneMatch } = conditions;
  const isUnmodified =
    ifNoneMatch === undefined
      ? isUnmodifiedSince(parseHttpDate(conditions.ifModifiedSince), validators)
      : matchesIfNoneMatch(ifNoneMatch, validators.etag);
  return isUnmodified ? 'unmodified' : 'send';
}

/** True when a range may be sent: `If-Range` is absent or names exactly the current state (13.1.5). */
export function matchesIfRange(header: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (header === undefined || header.trim() === etag) return true;
  const date = parseHttpDate(header);
  return date !== undefined && modifiedAt !== undefined && date === toSeconds(modifiedAt);
}

const BYTES_UNIT = /^bytes=(.*)$/i;
/** White space is allowed around a range, as around any member of a list, but not inside. */
const BYTE_RANGE = /^[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/;

/** Bytes `start` to `end`, both included, counted from 0. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Resolves the header against a file of `size` bytes. Undefined: send the whole file, also for a header that is malformed or
 * asks for several ranges, which a server may ignore. `unsatisfiable`: the file has no such range (416).
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const text = BYTES_UNIT.exec(header ?? '')?.[1];
  const match = text === undefined ? null : BYTE_RANGE.exec(text);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable';
    // The suffix of an empty file is the file: satisfiable, but no `Content-Range` could describe it.
    return size === 0 ? undefined : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' || last === undefined ? size - 1 : Math.min(Number(last), size - 1);
  if (last && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
