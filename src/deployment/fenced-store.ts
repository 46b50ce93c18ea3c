// A store that refuses commits while this process may not know what others have changed. `settled` lets a new specification wait for
// the commits that were checked against the old one.
import { explainTimeout, StoreError } from '../errors/errors.ts';
import type { DocumentStore, OperationOptions, Write } from '../stores/ports.ts';

/** What a client is told of a commit that has not ended when this process may not know any more what others have changed. */
const CUT_OFF =
  'The database answers so late that this server may not know what others have changed. The write may have been written, or may be yet: read it before you send it again';

interface Fence {
  /** Milliseconds for which commits may still be made; not positive: none may. */
  confirmedMs(): number;
}

interface FencedStoreDeps {
  readonly fence: Fence;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of an operation without a deadline, in milliseconds. */
  readonly queryMs: number;
}

export interface FencedStore {
  readonly store: DocumentStore;
  /** Resolves when the commits that have begun by now have ended. */
  settled(): Promise<void>;
}

export function createFencedStore(
  store: DocumentStore,
  { fence, now, queryMs }: FencedStoreDeps,
): FencedStore {
  const running = new Set<Promise<void>>();

  const commit = (writes: readonly Write[], options: OperationOptions): Promise<void> => {
    const left = fence.confirmedMs();
    if (left <= 0) return Promise.reject(new StoreError('unavailable'));
    // A store that one process has to itself has no such end.
    if (left === Number.POSITIVE_INFINITY) return store.commit(writes, options);
    const { deadline = now() + queryMs } = options;
    const end = now() + left;
    if (deadline <= end) return store.commit(writes, { deadline });
    return store.commit(writes, { deadline: end }).catch((error: unknown) => {
      throw explainTimeout(error, CUT_OFF);
    });
  };

  return {
    store: {
      ...store,
      commit(writes, options = {}) {
        const committing = commit(writes, options);
        running.add(committing);
        const end = () => running.delete(committing);
        committing.then(end, end);
        return committing;
      },
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
}
