// Brings the declared indexes of a collection into being: unique ones before the answer, the others in the background.
import { StoreError } from '../../errors.ts';
import type { IndexDefinition, Namespace } from '../ports.ts';
import { type BuildQueue, createBuildQueue } from './build-queue.ts';
import { BUILD_LIMITS, type BuildLimits, createBuildSteps, isSmall } from './build-steps.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { WriteContext } from './commit/apply-writes.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { retryWhileBusy } from './commits.ts';
import type { IndexEntry } from './data-file/catalogue.ts';
import { inTransaction } from './data-file/connection.ts';
import { dropIndex, findIndex, isSuperseded } from './indexes/index-build.ts';
import type { Threads } from './threads/threads.ts';

interface IndexSyncDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly wal: Checkpointer;
  /** Hears of background builds that fail. */
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<BuildLimits>;
}

export interface IndexSync {
  /** `built` resolves when every build that this call began or joined has ended; the first failure rejects it. */
  ensure(ns: Namespace, indexes: readonly IndexDefinition[]): Promise<{ readonly built: Promise<void> }>;
  /** Stops building after the slice that runs, and resolves then. What is unfinished goes on at the next start. */
  close(): Promise<void>;
}

/** What has to be done for the declared indexes of a name space. Indexes are given by their numbers. */
interface IndexDifference {
  /** New in the catalogue. */
  readonly added: readonly number[];
  /** Not named any more, or replaced. */
  readonly undeclared: readonly number[];
  readonly unfinished: readonly IndexEntry[];
}

const isDefinedAs = (entry: IndexEntry, definition: IndexDefinition) =>
  JSON.stringify(entry.definition) === JSON.stringify(canonicalDefinition(definition));

/** The members in one order, so that equal definitions are equal as text. */
function canonicalDefinition({ name, keys, unique, sparse }: IndexDefinition): IndexDefinition {
  return { name, keys: keys.map(({ path, direction, fold }) => ({ path, direction, fold })), unique, sparse };
}

class SqliteIndexSync implements IndexSync {
  readonly #parts: IndexSyncDeps & { readonly limits: BuildLimits };
  readonly #builds: BuildQueue;
  /** The last `ensure` of each name space: they follow one another. */
  readonly #latest = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(parts: IndexSyncDeps) {
    this.#parts = { ...parts, limits: { ...BUILD_LIMITS, ...parts.limits } };
    this.#builds = createBuildQueue({
      ...createBuildSteps(this.#parts),
      onFailed: (n, error) => this.#failed(n, error),
    });
  }

  async ensure(ns: Namespace, indexes: readonly IndexDefinition[]) {
    const key = `${ns.database ?? ''}/${ns.collection}`;
    const before = this.#latest.get(key);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return this.#ensureNow(ns, indexes.map(canonicalDefinition));
    })();
    this.#latest.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#latest.get(key) === mine) this.#latest.delete(key);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#builds.close();
    await Promise.allSettled(this.#latest.values());
  }

  async #ensureNow(ns: Namespace, wanted: readonly IndexDefinition[]) {
    const { added, undeclared: unnamed, unfinished } = await this.#write(() => this.#declare(ns, wanted));
    const isUnique = ({ definition }: IndexEntry) => definition.unique;
    try {
      for (const { n } of unfinished.filter(isUnique)) await this.#builds.run(n, true);
    } catch (error) {
      await this.#dropAll(added).catch(this.#parts.onError);
      throw error;
    }
    await this.#dropAll(unnamed);
    const others = unfinished.filter((index) => !isUnique(index));
    return { built: allBuilds(others.map(({ n }) => this.#builds.run(n, false))) };
  }

  #indexesOf(ns: Namespace): readonly IndexEntry[] {
    this.#parts.writer.catalogue.refresh();
    return this.#parts.writer.catalogue.get(ns)?.indexes ?? [];
  }

  /** Adds what is new to the catalogue. */
  #declare(ns: Namespace, wanted: readonly IndexDefinition[]): IndexDifference {
    const existing = this.#indexesOf(ns);
    const isNamed = (index: IndexEntry) => wanted.some((definition) => isDefinedAs(index, definition));
    const missing = wanted.filter((definition) => !existing.some((index) => isDefinedAs(index, definition)));
    const added = missing.length === 0 ? [] : this.#add(ns, missing);
    const entries = this.#indexesOf(ns).filter(isNamed);
    const newest = entries.filter((index) => !isSuperseded(index, entries));
    // Until the newer one is ready, the older one still keeps what is unique.
    const outlived = entries.filter((index) =>
      isSuperseded(
        index,
        newest.filter(({ ready }) => ready),
      ),
    );
    const unnamed = [...existing.filter((index) => !isNamed(index)), ...outlived];
    return { added, undeclared: unnamed.map(({ n }) => n), unfinished: newest.filter(({ ready }) => !ready) };
  }

  #add(ns: Namespace, missing: readonly IndexDefinition[]): readonly number[] {
    const { connection, catalogue } = this.#parts.writer;
    try {
      return inTransaction(connection, 'immediate', () => {
        catalogue.refresh();
        const ready = catalogue.ensure(ns).documents === 0;
        return missing.map((definition) => catalogue.addIndex(catalogue.ensure(ns), definition, ready).n);
      });
    } catch (error) {
      catalogue.invalidate();
      throw error;
    }
  }

  async #write<T>(work: () => T): Promise<T> {
    return this.#parts.queue.run(() => retryWhileBusy(work, undefined), { internal: true });
  }

  /** Ends their builds first, so that none of them meets an index that is gone. */
  async #dropAll(numbers: readonly number[]): Promise<void> {
    for (const n of numbers) {
      await this.#builds.cancel(n);
      await this.#drop(n);
    }
  }

  async #drop(n: number): Promise<void> {
    const { writer, queue, threads, wal, limits } = this.#parts;
    if (isSmall(writer, n, limits)) await this.#write(() => dropIndex(writer, n));
    else await queue.run(() => threads.drop(n), { internal: true });
    wal.afterWrite();
  }

  /** A background index that data make impossible is dropped, so that writes are not held to it. */
  async #failed(n: number, error: unknown): Promise<void> {
    const { writer, onError } = this.#parts;
    writer.catalogue.refresh();
    const index = findIndex(writer, n)?.index;
    if (index === undefined || index.definition.unique) return;
    if (!this.#closed) onError(error);
    if (!(error instanceof StoreError) || error.reason !== 'parallel-arrays') return;
    await this.#drop(n).catch(onError);
  }
}

/** One that fails does not keep the others from being built; the first failure is the one to hear of. */
async function allBuilds(builds: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(builds);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Joins the main connection with the writer thread. */
export function createIndexSync(parts: IndexSyncDeps): IndexSync {
  return new SqliteIndexSync(parts);
}
