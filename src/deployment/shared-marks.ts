// Marks of namespaces in a cache that all processes share: a response is kept under the marks of what it was computed from, and each
// commit replaces those of what it changed before it resolves. Where a process cannot do that, it has all others leave the cache
// alone first.
import { isStoreUnavailable } from '../errors/errors.ts';
import type { Log } from '../lib/logger.ts';
import { type CacheMarks, type DocumentStore, namespaceKey, type Write } from '../stores/ports.ts';
import type { DeploymentMember } from './deployment.ts';

/** The mark that is part of every key. */
const EVERYTHING = '*';
/** Collections of the server itself, of which nobody keeps responses. */
const OWN = 'cloister.';
/** Milliseconds until a cache that was away is tried again. */
const TRY_AGAIN_MS = 1000;

type Member = Pick<
  DeploymentMember,
  'announce' | 'inForceEverywhere' | 'isAlone' | 'isCacheAway' | 'isConfirmed' | 'setCacheAway'
>;

interface SharedMarksDeps {
  readonly marks: CacheMarks;
  readonly member: Member;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export class SharedMarks {
  readonly #deps: SharedMarksDeps;
  #timer: NodeJS.Timeout | undefined;
  #leaving: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: SharedMarksDeps) {
    this.#deps = deps;
  }

  /** The marks of these namespaces; undefined where no response may be taken from the cache, nor kept in it. */
  async read(namespaces: readonly string[]): Promise<readonly string[] | undefined> {
    const { marks, member } = this.#deps;
    if (member.isCacheAway() || !member.isConfirmed()) return undefined;
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

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #replaceMarksOf(writes: readonly Write[]): Promise<void> {
    const { marks, member } = this.#deps;
    if (member.isAlone()) return;
    const changed = writes.filter(({ ns }) => !ns.collection.startsWith(OWN));
    const names = [...new Set(changed.map(({ ns }) => namespaceKey(ns)))];
    if (names.length === 0) return;
    // While all leave the cache alone, nothing in it is found: `#tryAgain` replaces the mark that is part of every key.
    if (this.#leaving === undefined && (await marks.replace(names))) return;
    this.#leaving ??= this.#leave();
    await this.#leaving;
  }

  /** Resolves when no process uses the cache any more. */
  async #leave(): Promise<void> {
    const { member, log } = this.#deps;
    log.warn({}, 'the shared cache cannot be reached: no server uses it until it can');
    await member.setCacheAway(true).catch(() => undefined);
    await member.announce({ kind: 'cache-away', target: EVERYTHING });
    await member.inForceEverywhere().catch(() => undefined);
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#tryAgain(), TRY_AGAIN_MS).unref();
  }

  async #tryAgain(): Promise<void> {
    const { marks, member, log } = this.#deps;
    if (!(await marks.replace([EVERYTHING]))) return this.#schedule();
    try {
      // From now on each commit replaces its marks, before others use the cache again.
      this.#leaving = undefined;
      await member.setCacheAway(false);
      log.info({}, 'the shared cache is used again');
    } catch {
      this.#leaving = Promise.resolve();
      this.#schedule();
    }
  }
}
