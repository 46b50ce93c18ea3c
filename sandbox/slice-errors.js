// What a call into an isolate threw: our own rejection, which says nothing, or an error of isolated-vm. Never an error of guest code:
// `guest/main.js` throws nothing, and makes sure that of the rejected promises only our own is looked at.

/** The reason of our own rejection: the first of each call in which guest code may have promises (`guest/main.js`). */
const OWN_REJECTION = 7;
const TIMED_OUT = 'Script execution timed out.';
const MAX_MESSAGE_CHARACTERS = 300;

/** The message of an error, shortened. @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? String(error.message).slice(0, MAX_MESSAGE_CHARACTERS) : '';
}

/** @param {unknown} error */
export const isOwnRejection = (error) => error === OWN_REJECTION;

/** Whether the time limit of a call ended it. @param {unknown} error */
export const isTimeoutError = (error) => messageOf(error) === TIMED_OUT;
