// Work that only serves the answer to a write which is committed already: it must not make a failure of it.
import { AppError, StoreError } from '../../errors.ts';
import type { RequestContext } from '../model/documents.ts';

/** Milliseconds that the database has for it, where the time of the request leaves fewer. */
const MIN_ANSWER_MS = 2000;

/**
 * Runs `work` with some time of its own. Resolves with undefined when the database does not answer in time, or not at
 * all: the answer then goes without what it would have shown.
 */
export async function withAnswerDeadline<T>(
  work: (context: RequestContext) => Promise<T>,
  { context, now }: { readonly context: RequestContext; readonly now: () => number },
): Promise<T | undefined> {
  const deadline = Math.max(context.deadline, now() + MIN_ANSWER_MS);
  try {
    return await work({ ...context, deadline });
  } catch (error) {
    if (error instanceof StoreError || error instanceof AppError) return undefined;
    throw error;
  }
}
