// The errors of hooks for the client: of one that refuses, in its own words, and of one that fails or cannot run.

import type { HookEvent } from '../collections/model/collection.ts';
import { ERRORS } from '../errors/error-catalogue.ts';
import { AppError, type ErrorItem } from '../errors/errors.ts';
import { replaceUnprintable } from '../lib/printable-text.ts';
import type { InvocationErrorCode, InvocationResult } from '../sandbox-supervisor/model/sandbox.ts';

type Failure = Extract<InvocationResult, { readonly kind: 'failure' }>;
type Thrown = NonNullable<Failure['thrown']>;

const HOOK_ERROR = 'API-0002';
const TITLE = 'Hook Error';
const MAX_MESSAGE = 300;
const CODE = /^[A-Za-z0-9_.:-]{1,100}$/;

/** Errors of limits of the hook's own policy. The messages follow its name. */
const LIMIT_MESSAGES: ReadonlyMap<InvocationErrorCode, string> = new Map([
  ['ENDPOINT_TIMEOUT', 'took longer than it may'],
  ['ENDPOINT_MEMORY', 'used more memory than it may'],
  ['ENDPOINT_RESPONSE_TOO_LARGE', 'returned more than it may'],
]);

/** Codes of hooks that fail inside each other, through `Model`: the message of the outermost has those of all. */
const CHAIN_CODES: ReadonlySet<string | undefined> = new Set(['HOOK_FAILED', 'TOO_DEEP']);

/** Messages of errors whose author has written none. */
const NO_MESSAGES: ReadonlySet<string> = new Set(['', 'Error', '[object Object]']);

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
/** The hooks that may refuse with a status, and the methods of most requests that they refuse. */
const REFUSED_METHODS: ReadonlyMap<HookEvent, readonly string[]> = new Map([
  ['beforeGet', ['GET', 'HEAD']],
  ['beforeCreate', ['POST']],
  ['beforeUpdate', ['PUT']],
  ['beforeDelete', ['DELETE']],
]);

interface ErrorDetails {
  readonly code?: string | undefined;
  /** Position of the document in a batch. */
  readonly index?: number | undefined;
}

const codeMember = (code: string | undefined) => (code !== undefined && CODE.test(code) ? code : HOOK_ERROR);
const indexMember = (index: number | undefined) => (index === undefined ? {} : { index });

/** The 400 of a hook that rejects a document, in the form that clients of the older dialect expect. */
export function hookError(hook: string, why: string, { code, index }: ErrorDetails): AppError {
  const details = `${hook} - ${replaceUnprintable(why, MAX_MESSAGE)}`;
  const item = {
    code: codeMember(code),
    title: TITLE,
    details,
    message: details,
    hookName: hook,
    ...indexMember(index),
  };
  return new AppError('HOOK_FAILED', { items: [item] });
}

/** The 503 of a hook that does not run; `why` follows its name. */
export function hookUnavailableError(hook: string, why: string): AppError {
  return new AppError('ENDPOINT_SUSPENDED', { message: `The hook \`${hook}\` ${why}` });
}

/** Headers that RFC 9110 demands beside a status (15.5.2, 15.5.6). */
function demandedHeaders(status: number, event: HookEvent): Readonly<Record<string, string>> {
  // Without an `error`, on which clients would fetch another token.
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status !== 405) return {};
  const refused = REFUSED_METHODS.get(event) ?? [];
  return { Allow: METHODS.filter((method) => !refused.includes(method)).join(', ') };
}

/** The item of a hook that refuses with a status: in the words of its author, without its name. */
function rejectionItem({ message, code }: Thrown): ErrorItem {
  const text = replaceUnprintable(message, MAX_MESSAGE);
  const details = NO_MESSAGES.has(text) ? ERRORS.HOOK_FAILED.message : text;
  return { code: codeMember(code), title: TITLE, details, message: details };
}

interface HookRun {
  readonly event: HookEvent;
  /** Position of the document in a batch. */
  readonly index?: number | undefined;
}

/** The error of what a hook threw: with a status, with a list of what is wrong with each field, or as the older dialect has it. */
function thrownError(hook: string, thrown: Thrown, { event, index }: HookRun): AppError {
  const { message, code, items } = thrown;
  const status = REFUSED_METHODS.has(event) ? thrown.statusCode : undefined;
  const isChain = CHAIN_CODES.has(code) && (status ?? 400) === 400;
  if (isChain) return hookError(hook, message, { index });
  if (items === undefined && status === undefined) return hookError(hook, message, { code, index });
  // An index of the author's own is one of another batch.
  const listed = (items ?? [rejectionItem(thrown)]).map(({ index: _, ...item }) => ({
    ...item,
    ...indexMember(index),
  })) as readonly ErrorItem[];
  if (items !== undefined && (status ?? 400) === 400)
    return new AppError('DOCUMENT_INVALID', { items: listed });
  const { status: usual } = ERRORS.HOOK_FAILED;
  const headers = demandedHeaders(status ?? usual, event);
  return new AppError('HOOK_FAILED', { status: status ?? usual, headers, items: listed });
}

/** The error of an invocation that failed. Its text is for the log: the client sees only what the hook itself threw. */
export function hookResultError(hook: string, { code, thrown }: Failure, run: HookRun): AppError {
  const { index } = run;
  const limit = LIMIT_MESSAGES.get(code);
  if (code === 'ENDPOINT_SUSPENDED') return hookUnavailableError(hook, 'is suspended');
  if (limit !== undefined) return hookError(hook, limit, { index });
  if (code !== 'ENDPOINT_ERROR') return new AppError(code);
  return thrown === undefined ? hookError(hook, 'failed', { index }) : thrownError(hook, thrown, run);
}
