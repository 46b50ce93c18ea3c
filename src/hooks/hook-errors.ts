// What a client is told when a hook refuses, fails, or cannot run.

import { AppError, type ErrorCode } from '../errors.ts';
import type { FailureCode, InvocationResult } from '../sandbox-supervisor/sandbox.ts';

type Failure = Extract<InvocationResult, { readonly kind: 'failure' }>;

const HOOK_ERROR = 'API-0002';
const MAX_MESSAGE = 300;
const CODE = /^[A-Za-z0-9_.:-]{1,100}$/;
/** Controls, and what turns the direction of a text around. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Limits of the hook's own policy that end its work, in words that follow its name. */
const LIMIT_MESSAGES: ReadonlyMap<FailureCode, string> = new Map([
  ['ENDPOINT_TIMEOUT', 'took longer than it may'],
  ['ENDPOINT_MEMORY', 'used more memory than it may'],
  ['ENDPOINT_RESPONSE_TOO_LARGE', 'returned more than it may'],
]);

/** What says nothing about the document: the client may repeat the request after so many seconds. */
const RETRY_SECONDS: ReadonlyMap<ErrorCode, number> = new Map([
  ['ENDPOINT_BUSY', 1],
  ['ENDPOINT_RATE_LIMITED', 60],
  ['ENDPOINT_SUSPENDED', 60],
  ['SANDBOX_DISABLED', 60],
]);

/** A text that the author of a hook has written, fit to be shown: one line, 300 characters, nothing unprintable. */
function cleanText(text: string): string {
  return text
    .slice(0, MAX_MESSAGE * 4)
    .toWellFormed()
    .replace(UNPRINTABLE, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
}

/** The 400 of a hook that refuses: the item is the one that clients of the older dialect look for. */
export function hookError(
  hook: string,
  why: string,
  { code = HOOK_ERROR, index }: { readonly code?: string | undefined; readonly index?: number | undefined },
): AppError {
  const details = `${hook} - ${cleanText(why)}`;
  const item = {
    code: CODE.test(code) ? code : HOOK_ERROR,
    title: 'Hook Error',
    details,
    message: details,
    hookName: hook,
    ...(index === undefined ? {} : { index }),
  };
  return new AppError('HOOK_FAILED', { items: [item] });
}

/** The 503 of a hook that does not run; `why` follows its name. */
export function hookUnavailableError(hook: string, why: string): AppError {
  return sandboxError('ENDPOINT_SUSPENDED', `The hook \`${hook}\` ${why}`);
}

/** A refusal for which the hook is not to blame. */
export function sandboxError(code: ErrorCode, message?: string): AppError {
  const seconds = RETRY_SECONDS.get(code);
  return new AppError(code, {
    ...(message === undefined ? {} : { message }),
    ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
  });
}

/** What a failed run comes to. The text for the log stays behind: only what the hook itself threw is shown. */
export function hookResultError(
  hook: string,
  { code, thrown }: Failure,
  index: number | undefined,
): AppError {
  const limit = LIMIT_MESSAGES.get(code);
  if (code === 'ENDPOINT_SUSPENDED') return hookUnavailableError(hook, 'is suspended');
  if (limit !== undefined) return hookError(hook, limit, { index });
  if (code !== 'ENDPOINT_ERROR') return sandboxError(code);
  return hookError(hook, thrown?.message ?? 'failed', { code: thrown?.code, index });
}
