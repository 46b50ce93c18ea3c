// Whose turn it is to write a document.
import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import type { RequestContext } from '../model/documents.ts';

/**
 * Runs a write of one document after those that came before it. A write that posted code asks for does not wait: the
 * write whose hook it may be holds the turn until that hook has ended. Should they meet, the later commit is refused
 * and tried again.
 */
export function withDocumentLock<T>(
  turns: KeyedMutex,
  key: string,
  { depth = 0 }: Pick<RequestContext, 'depth'>,
  task: () => Promise<T>,
): Promise<T> {
  return depth > 0 ? task() : turns.run(key, task);
}
