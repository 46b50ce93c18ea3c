// Parses durations of settings and requests: a number of seconds, or text such as `10h` or `2 days`.
import ms from 'ms';

const WITH_UNIT = /^\d{1,9}(\.\d{1,3})? ?[a-z]{1,7}$/i;
const SECONDS = /^\d{1,9}(\.\d{1,3})?$/;
const MIN_MS = 1000;
/** 30 days. */
const MAX_MS = 30 * 24 * 60 * 60 * 1000;

/** Completes "must be …" in messages. */
export const EXPECTED_DURATION =
  'a number of seconds or a span of time such as `10h` or `2 days`, from 1 second to 30 days';

function millisecondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value * 1000;
  if (typeof value !== 'string') return undefined;
  if (SECONDS.test(value)) return Number(value) * 1000;
  return WITH_UNIT.test(value) ? ms(value as ms.StringValue) : undefined;
}

/**
 * The length in milliseconds: a number, or text without a unit, is seconds. Undefined for anything else, and for what is
 * shorter than a second or longer than 30 days.
 */
export function parseDuration(value: unknown): number | undefined {
  const length = millisecondsOf(value);
  return length !== undefined && length >= MIN_MS && length <= MAX_MS ? Math.round(length) : undefined;
}

/** True for a valid duration with a unit, which a setting that is text must have. */
export function isDuration(text: string): boolean {
  return WITH_UNIT.test(text) && parseDuration(text) !== undefined;
}
