// How large the head of an event may be. The guest side cuts what it writes to less, so that a larger one comes from a host
// that is no longer what it was. Checked while all that is known of it is its size.
import type { GuestEventKind } from '../../../sandbox/protocol.ts';

/** What the guest side keeps to, in characters. */
export const MAX_CHARACTERS = {
  /** Of what was thrown. */
  message: 300,
  /** Ten lines of 200. */
  stack: 2_009,
  code: 100,
  /** Of one line of a log. */
  record: 8_192,
  /** Names and values of all headers of a response, and how many there are. */
  headers: 16_384,
  headerCount: 50,
} as const;

/** Arguments of a host call with more bytes are refused: no more of them is read than it takes to see that. */
export const MAX_ARGUMENT_BYTES = 1_048_576;

/** A character takes at most six bytes of JSON: `\u0001`. */
const ESCAPED = 6;
/** For the names of members, and numbers. */
const NAMES = 100;
/** A value of a header has no character that needs more than two; each header has eight around it. */
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

/** Whatever has a body has a bound of its own: a limit of its policy, or that of arguments. */
const WITH_BODY: ReadonlySet<GuestEventKind> = new Set(['end', 'result', 'call']);

/** Whether the guest side could have written an event of these sizes. */
export function isEventSize(kind: GuestEventKind, headBytes: number, bodyBytes: number): boolean {
  return headBytes <= HEAD_BYTES[kind] && (bodyBytes === 0 || WITH_BODY.has(kind));
}
