// Document ids: 24 hexadecimal characters that begin with the time, so that every store sorts them by it.
import { randomBytes } from 'node:crypto';

const ID_LENGTH = 24;
const [ZERO, NINE, A, F] = [0x30, 0x39, 0x61, 0x66];
/** Makes a letter lower-case. */
const CASE_BIT = 0x20;
const COUNTER_LIMIT = 0x1_00_00_00;
/** The hexadecimal text of each value of half a counter. */
const HALVES = Array.from({ length: 0x10_00 }, (_, half) => half.toString(16).padStart(3, '0'));

/** True for text that has the form of a document id, in either case. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length === ID_LENGTH && parseIdAt(value, 0) !== undefined;
}

/** The id that stands in a longer text from `start` on, in lower case; undefined where the characters form none. */
export function parseIdAt(text: string, start: number): string | undefined {
  let isLowerCase = true;
  for (let at = start; at < start + ID_LENGTH; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) continue;
    const letter = code | CASE_BIT;
    const isHexLetter = letter >= A && letter <= F;
    if (!isHexLetter) return undefined;
    if (letter !== code) isLowerCase = false;
  }
  const id = text.slice(start, start + ID_LENGTH);
  return isLowerCase ? id : id.toLowerCase();
}

/**
 * Creates a generator of ids that grow with every call, also when the clock stands still or steps back.
 * Layout: 4 bytes of seconds, 5 random bytes of this generator, a 3-byte counter.
 */
export function createIdSource(now: () => number = Date.now): () => string {
  const random = randomBytes(5).toString('hex');
  let seconds = 0;
  let counter = 0;
  let prefix = '';
  /** The prefix and the upper half of the counter: what many ids in a row have in common. */
  let common = '';
  const count = (next: number) => {
    counter = next;
    if ((next & 0xf_ff) === 0) common = prefix + HALVES[next >> 12];
  };
  const enter = (second: number) => {
    seconds = second;
    prefix = second.toString(16).padStart(8, '0') + random;
    count(0);
  };
  enter(0);
  return () => {
    const current = Math.floor(now() / 1000);
    if (current > seconds) enter(current);
    else if (counter === COUNTER_LIMIT - 1) enter(seconds + 1);
    else count(counter + 1);
    return common + HALVES[counter & 0xf_ff];
  };
}
