// Parses guest events, which are hostile: their sizes before anything else is read, then their texts. Null means that the guest
// side of the sandbox does not write such a text, so that the host is compromised.

import type { GuestEventKind } from '../../../sandbox/protocol.ts';
import { type JsonShape, scanJson } from '../../lib/json/json-scan.ts';
import type { GuestCall, GuestLogRecord, InvocationResult } from '../model/sandbox.ts';

/** Longest texts that the guest side of the sandbox writes into an event. */
export const MAX_EVENT_CHARACTERS = {
  errorMessage: 300,
  errorCode: 100,
  /** Of an error or a log line: ten lines of 200. */
  stack: 2_009,
  logMessage: 8_192,
  /** Names and values of all headers of a response. */
  headers: 16_384,
  /** JSON of the list of errors that was thrown or passed to `next`, the note about those left out included. */
  errorList: 65_800,
} as const;
export const MAX_RESPONSE_HEADERS = 50;

/** Arguments of a guest call with more bytes are rejected: no more of them is read than it takes to see that. */
export const MAX_ARGUMENT_BYTES = 1_048_576;

/** A character takes at most six bytes of JSON: `\u0001`. */
const MAX_BYTES_PER_CHARACTER = 6;
/** Names of members, and numbers. */
const NAMES_BYTES = 100;
/** A character of a header takes at most two bytes; each header has eight more around it. */
const MAX_HEADERS_BYTES = 2 * MAX_EVENT_CHARACTERS.headers + 8 * MAX_RESPONSE_HEADERS + NAMES_BYTES;

const textsOf = (...lengths: readonly number[]) =>
  NAMES_BYTES + MAX_BYTES_PER_CHARACTER * lengths.reduce((sum, length) => sum + length, 0);

const MAX_HEAD_BYTES: Readonly<Record<GuestEventKind, number>> = {
  end: MAX_HEADERS_BYTES,
  result: NAMES_BYTES,
  next: textsOf(MAX_EVENT_CHARACTERS.errorMessage),
  error: textsOf(
    MAX_EVENT_CHARACTERS.errorMessage,
    MAX_EVENT_CHARACTERS.stack,
    MAX_EVENT_CHARACTERS.errorCode,
  ),
  silent: 0,
  call: NAMES_BYTES,
  log: textsOf(MAX_EVENT_CHARACTERS.logMessage, MAX_EVENT_CHARACTERS.stack),
};

/** A character of JSON text takes at most three bytes. */
const MAX_LIST_BYTES = 3 * MAX_EVENT_CHARACTERS.errorList;

/** Events with a body. That of a response, a result or a call is limited by the policy, or by the size of arguments. */
const MAX_BODY_BYTES: ReadonlyMap<GuestEventKind, number> = new Map([
  ['end', Number.POSITIVE_INFINITY],
  ['result', Number.POSITIVE_INFINITY],
  ['call', Number.POSITIVE_INFINITY],
  ['next', MAX_LIST_BYTES],
  ['error', MAX_LIST_BYTES],
]);

/** Whether the guest side could have written an event of these sizes. */
export function isEventSize(kind: GuestEventKind, headBytes: number, bodyBytes: number): boolean {
  return headBytes <= MAX_HEAD_BYTES[kind] && bodyBytes <= (MAX_BODY_BYTES.get(kind) ?? 0);
}

/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 5.5, without what lenient readers downstream take for a line break. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LEVELS: ReadonlySet<unknown> = new Set(['debug', 'info', 'warn', 'error']);
const CALL_NAME = /^[a-z]+(\.[a-z]+)?$/i;

/** Limits of a head, checked before it is parsed. */
type Bounds = Pick<JsonShape, 'depth' | 'values'>;
const RESPONSE: Bounds = { depth: 3, values: 4 * MAX_RESPONSE_HEADERS + 10 };
const FIELDS: Bounds = { depth: 1, values: 20 };
/** Heads up to this length are parsed unchecked. */
const MAX_UNSCANNED_CHARACTERS = 256;
/** Length of the arguments of a timer: JSON of a number of milliseconds. */
const MAX_TIMER_CHARACTERS = 100;

type Headers = readonly (readonly [name: string, value: string])[];
type Response = Extract<InvocationResult, { readonly kind: 'response' }>;

/** A response without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  readonly encoding: 'text' | 'base64';
}

function isWithin(text: string, { depth, values }: Bounds): boolean {
  if (text.length <= MAX_UNSCANNED_CHARACTERS) return true;
  const shape = scanJson(Buffer.from(text));
  return shape.depth <= depth && shape.values <= values;
}

/** Parses JSON of the guest side; undefined for what is none, or is over its bounds. */
export function parseBounded(text: string, bounds: Bounds): unknown {
  if (!isWithin(text, bounds)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseBounded(text, FIELDS);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

function isHeader(header: unknown): header is readonly [string, string] {
  if (!Array.isArray(header) || header.length !== 2) return false;
  const [name, value] = header as readonly unknown[];
  return (
    typeof name === 'string' && typeof value === 'string' && TOKEN.test(name) && HEADER_VALUE.test(value)
  );
}

function areHeaders(headers: unknown): headers is Headers {
  if (!Array.isArray(headers) || headers.length > MAX_RESPONSE_HEADERS || !headers.every(isHeader))
    return false;
  let length = 0;
  for (const [name, value] of headers as Headers) length += name.length + value.length;
  return length <= MAX_EVENT_CHARACTERS.headers;
}

/** Parses status, headers and encoding of an `end` event. */
export function parseResponseHead(head: string): ResponseHead | null {
  const value = parseBounded(head, RESPONSE);
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [status, headers, encoding] = value as readonly unknown[];
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599) return null;
  if ((encoding !== 'text' && encoding !== 'base64') || !areHeaders(headers)) return null;
  return { status: status as number, headers, encoding };
}

/** The response of an `end` event, or null when it is over its limit. `raw`: the body as it was received. */
export function responseOf(head: ResponseHead, raw: string | Buffer, maxBytes: number): Response | null {
  const { status, headers, encoding } = head;
  // The longest base64 text of so many bytes.
  if (encoding === 'base64' && raw.length > Math.ceil(maxBytes / 3) * 4) return null;
  const body = encoding === 'base64' ? Buffer.from(raw.toString(), 'base64') : raw;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  return bytes > maxBytes ? null : { kind: 'response', status, headers, body };
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length <= max;
const isOptionalText = (value: unknown, max: number): value is string | undefined =>
  value === undefined || isText(value, max);

/** Highest statuses of `next(error)`, and of what a hook throws. */
const MAX_NEXT_STATUS = 599;
const MAX_HOOK_STATUS = 499;

/** A status of 400 to `max`. */
const isStatus = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= max;

/** Parses the head of a `next` event: `next()` or `next(error)`. */
export function parseNextEvent(head: string): Extract<InvocationResult, { readonly kind: 'next' }> | null {
  const fields = fieldsOf(head);
  if (fields === null) return null;
  const { message, statusCode } = fields;
  if (message === undefined) return Object.keys(fields).length === 0 ? { kind: 'next' } : null;
  if (!isText(message, MAX_EVENT_CHARACTERS.errorMessage)) return null;
  if (statusCode === undefined) return { kind: 'next', error: { message } };
  return isStatus(statusCode, MAX_NEXT_STATUS) ? { kind: 'next', error: { message, statusCode } } : null;
}

/** An error of guest code. `tooLarge`: its response went over the limit. */
export interface GuestError {
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  /** With which a hook refuses: 400 to 499. */
  readonly statusCode?: number;
  readonly tooLarge: boolean;
}

/** Parses the head of an `error` event. */
export function parseErrorEvent(head: string): GuestError | null {
  const { message, stack, code, statusCode, tooLarge } = fieldsOf(head) ?? {};
  if (!isText(message, MAX_EVENT_CHARACTERS.errorMessage)) return null;
  if (
    !isOptionalText(stack, MAX_EVENT_CHARACTERS.stack) ||
    !isOptionalText(code, MAX_EVENT_CHARACTERS.errorCode)
  )
    return null;
  if (statusCode !== undefined && !isStatus(statusCode, MAX_HOOK_STATUS)) return null;
  return {
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
    ...(statusCode === undefined ? {} : { statusCode }),
    tooLarge: tooLarge === true,
  };
}

/** Parses a `call` event: the number of the guest call within the invocation, and the call. */
export function parseCallEvent(
  head: string,
  args: string,
): { readonly id: number; readonly call: GuestCall } | null {
  const { call: id, name } = fieldsOf(head) ?? {};
  if (!Number.isSafeInteger(id) || (id as number) < 0) return null;
  if (typeof name !== 'string' || !CALL_NAME.test(name)) return null;
  return { id: id as number, call: { name, args } };
}

/** Parses the head of a `log` event. */
export function parseLogEvent(head: string): GuestLogRecord | null {
  const { level, message, stack } = fieldsOf(head) ?? {};
  if (!LEVELS.has(level) || !isText(message, MAX_EVENT_CHARACTERS.logMessage)) return null;
  if (!isOptionalText(stack, MAX_EVENT_CHARACTERS.stack)) return null;
  const record = { level: level as GuestLogRecord['level'], message };
  return stack === undefined ? record : { ...record, stack };
}

/** Parses the milliseconds of a `timer` call. */
export function parseTimer(args: string): number | null {
  if (args.length > MAX_TIMER_CHARACTERS) return null;
  const { ms } = fieldsOf(args) ?? {};
  return typeof ms === 'number' && ms >= 0 && Number.isFinite(ms) ? ms : null;
}
