// Marks of namespaces in a cache that all processes share: a response is kept under the marks of what it was computed from, and each
// commit replaces those of what it changed before it resolves. Where a process cannot do that, it has all others leave the cache
// alone first.
import { isStoreUnavailable } from '../errors/errors.ts';
import { type CacheMarks, type DocumentStore, namespaceKey, type Write } from '../stores/ports.ts';
import { type CacheReach, EVERYTHING } from './cache-reach.ts';
import type { DeploymentMember } from './deployment.ts';

/** Collections of the server itself, of which nobody keeps responses. */
const OWN = 'cloister.';

interface SharedMarksDeps {
  readonly marks: CacheMarks;
  readonly member: Pick<DeploymentMember, 'isAlone'>;
  readonly reach: Pick<CacheReach, 'isAway' | 'hasLeft' | 'leave'>;
}

export class SharedMarks {
  readonly #deps: SharedMarksDeps;

  constructor(deps: SharedMarksDeps) {
    this.#deps = deps;
  }

  /** The marks of these namespaces; undefined where no response may be taken from the cache, nor kept in it. */
  async read(namespaces: readonly string[]): Promise<readonly string[] | undefined> {
    const { marks, reach } = this.#deps;
    if (reach.isAway()) return undefined;
    return marks.read([EVERYTHING, ...namespaces]);
  }

  /** The same store, whose commits replace the marks of what they changed. */
  around(store: DocumentStore): DocumentStore {
    return {
      ...store,
      commit: async (writes, options) => {
        try {
          await store.commit(writes, options);
        } catch (error) {
          // It may have been made all the same.
          if (isStoreUnavailable(error)) await this.#replaceMarksOf(writes);
          throw error;
        }
        await this.#replaceMarksOf(writes);
      },
    };
  }

  async #replaceMarksOf(writes: readonly Write[]): Promise<void> {
    const { marks, member, reach } = this.#deps;
    if (member.isAlone()) return;
    const changed = writes.filter(({ ns }) => !ns.collection.startsWith(OWN));
    const names = [...new Set(changed.map(({ ns }) => namespaceKey(ns)))];
    if (names.length === 0) return;
    // While all leave the cache alone, nothing in it is found: the mark that is part of every key is replaced before it is used.
    if (!reach.hasLeft() && (await marks.replace(names))) return;
    await reach.leave();
  }
}
