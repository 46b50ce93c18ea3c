// Errors that end a time slice: whether its limit ended it, and the log line that tells of an unhandled rejection.

/** @import { GuestOptions } from './guest.js' */

const TIMED_OUT = 'Script execution timed out.';
const MAX_MESSAGE_CHARACTERS = 300;
/** Bytes of the log of each request that are reserved for the line of the host. */
const RESERVED_LOG_BYTES = 1_024;

/** The message of an error, shortened: a guest may throw one of any size. @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? String(error.message).slice(0, MAX_MESSAGE_CHARACTERS) : '';
}

/** @param {unknown} error */
export function isTimeoutError(error) {
  return messageOf(error) === TIMED_OUT;
}

/**
 * Whether the limit of a time slice ended it. The clock tells a stopped slice from a rejection that pretends to be one.
 * @param {unknown} error
 * @param {number} began Epoch milliseconds.
 * @param {number} limit Milliseconds.
 */
export function endedByLimit(error, began, limit) {
  return isTimeoutError(error) && Date.now() - began >= limit - 2;
}

/** The options of the guest code, whose log leaves room for the line of the host. @param {GuestOptions} options @returns {GuestOptions} */
export function withoutReservedLog(options) {
  return {
    ...options,
    logLines: Math.max(0, options.logLines - 1),
    logBytes: Math.max(0, options.logBytes - RESERVED_LOG_BYTES),
  };
}

/**
 * The log line of a rejection that nobody handled; undefined if the log has no room for it.
 * @param {GuestOptions} options
 * @param {unknown} error
 */
export function rejectionLine(options, error) {
  if (options.logBytes < 2 * RESERVED_LOG_BYTES || options.logLines < 2) return undefined;
  return `{"level":"error","message":${JSON.stringify(`Unhandled rejection: ${messageOf(error)}`)}}`;
}
