// Errors for the client when a hook rejects a document, fails, or cannot run.
import { AppError } from '../errors/errors.ts';
import type { InvocationErrorCode, InvocationResult } from '../sandbox-supervisor/model/sandbox.ts';

type Failure = Extract<InvocationResult, { readonly kind: 'failure' }>;

const HOOK_ERROR = 'API-0002';
const MAX_MESSAGE = 300;
const CODE = /^[A-Za-z0-9_.:-]{1,100}$/;
/** Control characters, and marks that reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Errors of limits of the hook's own policy. The messages follow its name. */
const LIMIT_MESSAGES: ReadonlyMap<InvocationErrorCode, string> = new Map([
  ['ENDPOINT_TIMEOUT', 'took longer than it may'],
  ['ENDPOINT_MEMORY', 'used more memory than it may'],
  ['ENDPOINT_RESPONSE_TOO_LARGE', 'returned more than it may'],
]);

/** Text of the author of a hook, cleaned for a response: one line, 300 characters, nothing unprintable. */
function cleanText(text: string): string {
  return text
    .slice(0, MAX_MESSAGE * 4)
    .toWellFormed()
    .replace(UNPRINTABLE, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
}

/** The 400 of a hook that rejects a document, in the form that clients of the older dialect expect. */
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
  return new AppError('ENDPOINT_SUSPENDED', { message: `The hook \`${hook}\` ${why}` });
}

/** The error of an invocation that failed. Its text is for the log: the client sees only what the hook itself threw. */
export function hookResultError(
  hook: string,
  { code, thrown }: Failure,
  index: number | undefined,
): AppError {
  const limit = LIMIT_MESSAGES.get(code);
  if (code === 'ENDPOINT_SUSPENDED') return hookUnavailableError(hook, 'is suspended');
  if (limit !== undefined) return hookError(hook, limit, { index });
  if (code !== 'ENDPOINT_ERROR') return new AppError(code);
  return hookError(hook, thrown?.message ?? 'failed', { code: thrown?.code, index });
}
