// Maximum sizes of the events of a guest, checked before anything else of an event is read. The guest side truncates what it
// writes to less, so that a larger event comes from a compromised host.
import type { GuestEventKind } from '../../../sandbox/protocol.ts';

/** Maximum lengths on the guest side, in characters. */
export const MAX_CHARACTERS = {
  /** Message of an error. */
  message: 300,
  /** Ten lines of 200. */
  stack: 2_009,
  code: 100,
  /** Message of one log line. */
  record: 8_192,
  /** Names and values of all headers of a response; their number. */
  headers: 16_384,
  headerCount: 50,
} as const;

/** Arguments of a host call with more bytes are rejected: no more of them is read than it takes to see that. */
export const MAX_ARGUMENT_BYTES = 1_048_576;

/** A character takes at most six bytes of JSON: `\u0001`. */
const ESCAPED = 6;
/** Names of members, and numbers. */
const NAMES = 100;
/** A character of a header takes at most two bytes; each header has eight more around it. */
const HEADERS = 2 * MAX_CHARACTERS.headers + 8 * MAX_CHARACTERS.headerCount + NAMES;

const textsOf = (...lengths: readonly number[]) =>
  NAMES + ESCAPED * lengths.reduce((sum, length) => sum + length, 0);

const HEAD_BYTES: Readonly<Record<GuestEventKind, number>> = {
  end: HEADERS,
  result: NAMES,
  next: textsOf(MAX_CHARACTERS.message),
  error: textsOf(MAX_CHARACTERS.message, MAX_CHARACTERS.stack, MAX_CHARACTERS.code),
  silent: 0,
  call: NAMES,
  log: textsOf(MAX_CHARACTERS.record, MAX_CHARACTERS.stack),
};

/** The size of a body is limited by the policy, or by that of arguments. */
const WITH_BODY: ReadonlySet<GuestEventKind> = new Set(['end', 'result', 'call']);

/** Whether the guest side could have written an event of these sizes. */
export function isEventSize(kind: GuestEventKind, headBytes: number, bodyBytes: number): boolean {
  return headBytes <= HEAD_BYTES[kind] && (bodyBytes === 0 || WITH_BODY.has(kind));
}
