// What a client is told when the store refuses a commit, and how often a lost race is run again.
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, StoreError } from '../../errors.ts';
import { backOff } from '../../lib/async/back-off.ts';
import type { RequestContext } from '../model/documents.ts';
import { ExtraWriteError } from '../model/extra-write-error.ts';

/** Where in a request a write comes from. */
export interface WriteOrigin {
  /** Dotted path of the sub-document, ending in a dot; `''` for the document itself. */
  readonly prefix: string;
  /** Position in a batch. */
  readonly index?: number;
  /** Position among the writes that the caller had done in the same commit: what is wrong with them it understands itself. */
  readonly extraWrite?: number;
}

const MAX_ATTEMPTS = 30;
/** The first so many attempts follow each other at once. */
const IMMEDIATE_ATTEMPTS = 3;
/** Bounds of the pauses after that, in milliseconds: who loses again and again must get out of step with the others. */
const PAUSE = { first: 4, most: 100 };

const ISSUES: ReadonlyMap<StoreError['reason'], { readonly message: string; readonly code: string }> =
  new Map([
    ['duplicate', { message: 'must be unique', code: 'ERROR_UNIQUE' }],
    [
      'parallel-arrays',
      { message: 'holds a list, as another field of the same index does', code: 'ERROR_VALUE_INVALID' },
    ],
    [
      'refused',
      { message: 'breaks a rule that the database has for this collection', code: 'ERROR_VALUE_INVALID' },
    ],
  ]);

/** The part of an error item that names the document of a batch. */
export function indexMember({ index }: WriteOrigin): { readonly index?: number } {
  return index === undefined ? {} : { index };
}

/**
 * Turns what is wrong with a document, in the eyes of the store, into what the client can understand. `origins` runs
 * beside the writes of the commit. Every other error is returned as it is.
 */
export function translateCommitError(error: unknown, origins: readonly WriteOrigin[]): unknown {
  if (!(error instanceof StoreError)) return error;
  const beside = origins[error.index ?? -1]?.extraWrite;
  if (beside !== undefined) return new ExtraWriteError(error, beside);
  if (error.reason === 'too-large') return new AppError('PAYLOAD_TOO_LARGE', { cause: error });
  const problem = ISSUES.get(error.reason);
  if (problem === undefined || (error.fields.length === 0 && error.reason !== 'refused')) return error;
  const origin = origins[error.index ?? -1] ?? { prefix: '' };
  const place = { ...problem, ...indexMember(origin) };
  const items =
    error.fields.length === 0
      ? [{ ...place, message: error.explanation ?? 'The database takes no such write to this collection' }]
      : error.fields.map((field) => ({ field: `${origin.prefix}${field}`, ...place }));
  return new AppError('DOCUMENT_INVALID', { items, cause: error });
}

/** Reading again what the writes of the caller were computed from is not done here. */
const isConflict = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.reason === 'conflict' && !(error instanceof ExtraWriteError);

/**
 * Runs a read and the commit computed from it again while others get in between, a bounded number of times and not
 * beyond the deadline of the context. Then it is a 503.
 */
export async function commitWithRetry<T>(
  attempt: () => Promise<T>,
  { context, now }: { readonly context: Pick<RequestContext, 'deadline'>; readonly now: () => number },
): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (round === MAX_ATTEMPTS || now() > context.deadline) {
        const message = 'Too many others are writing the same documents';
        throw new AppError('STORE_BUSY', { message, headers: { 'Retry-After': '1' }, cause: error });
      }
    }
    if (round >= IMMEDIATE_ATTEMPTS) await pause(backOff(round - IMMEDIATE_ATTEMPTS, PAUSE));
  }
}
