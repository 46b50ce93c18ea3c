// Makes the indexes of a collection those that are declared: unique ones are built before `ensure` resolves, the others in the
// background.
import { StoreError } from '../../errors/errors.ts';
import { type IndexDefinition, type Namespace, namespaceKey } from '../ports.ts';
import {
  BUILD_LIMITS,
  type BuildLimits,
  type BuildQueue,
  createBuildQueue,
  createBuildSteps,
  isSmall,
} from './build-queue.ts';
import type { BuildTurn } from './build-turn.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { type IndexEntry, inWriteTransaction } from './data-file/catalogue.ts';
import { retryWhileBusy } from './data-file/connection.ts';
import { asStoreError } from './data-file/storage-errors.ts';
import { dropIndex, findIndex, isSuperseded } from './indexes/index-build.ts';
import { canonicalDefinition, isDefinedAs } from './indexes/index-definition.ts';
import type { WriteContext } from './indexes/index-update.ts';
import type { Threads } from './threads/threads.ts';

interface IndexMigratorDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly checkpointer: Checkpointer;
  /** Called with errors of background builds. */
  readonly onError: (error: unknown) => void;
  /** Where several processes build the indexes of one file: one of them at a time. */
  readonly turn?: BuildTurn | undefined;
  readonly limits?: Partial<BuildLimits>;
}

export interface IndexMigrator {
  /**
   * `built` resolves when every build that this call started or joined has ended, and rejects with the first error. Nobody has
   * to handle that rejection: `onError` is called too.
   */
  ensure(ns: Namespace, indexes: readonly IndexDefinition[]): Promise<{ readonly built: Promise<void> }>;
  /** Stops building after the current slice, then resolves. Unfinished indexes continue at the next start. */
  close(): Promise<void>;
}

/** What `ensure` has to do for one namespace. Indexes are given by number. */
interface IndexChange {
  /** Added to the catalogue by this call. */
  readonly added: readonly number[];
  /** No longer declared, or superseded. */
  readonly undeclared: readonly number[];
  readonly unfinished: readonly IndexEntry[];
}

class SqliteIndexMigrator implements IndexMigrator {
  readonly #deps: IndexMigratorDeps & { readonly limits: BuildLimits };
  readonly #builds: BuildQueue;
  /** The last `ensure` of each namespace. Calls for one namespace run one after the other. */
  readonly #latest = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(deps: IndexMigratorDeps) {
    this.#deps = { ...deps, limits: { ...BUILD_LIMITS, ...deps.limits } };
    this.#builds = createBuildQueue({
      ...createBuildSteps(this.#deps),
      onFailed: (n, error) => this.#failed(n, error),
    });
  }

  async ensure(ns: Namespace, indexes: readonly IndexDefinition[]) {
    const key = namespaceKey(ns);
    const previous = this.#latest.get(key);
    const current = (async () => {
      await previous?.catch(() => undefined);
      return this.#ensureNow(ns, indexes.map(canonicalDefinition));
    })();
    this.#latest.set(key, current);
    try {
      return await current;
    } finally {
      if (this.#latest.get(key) === current) this.#latest.delete(key);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#builds.close();
    await Promise.allSettled(this.#latest.values());
  }

  async #ensureNow(ns: Namespace, declared: readonly IndexDefinition[]) {
    const { added, undeclared, unfinished } = await this.#write(() => this.#declare(ns, declared));
    const isUnique = ({ definition }: IndexEntry) => definition.unique;
    try {
      for (const { n } of unfinished.filter(isUnique)) await this.#builds.run(n, true);
    } catch (error) {
      await this.#dropAll(added).catch(this.#deps.onError);
      throw error;
    }
    await this.#dropAll(undeclared);
    const others = unfinished.filter((index) => !isUnique(index));
    const built = allBuilds(others.map(({ n }) => this.#builds.run(n, false)));
    built.catch(() => undefined);
    return { built };
  }

  #indexesOf(ns: Namespace): readonly IndexEntry[] {
    this.#deps.writer.catalogue.refresh();
    return this.#deps.writer.catalogue.get(ns)?.indexes ?? [];
  }

  /** Adds new indexes to the catalogue and returns what else is to be done. */
  #declare(ns: Namespace, declared: readonly IndexDefinition[]): IndexChange {
    const existing = this.#indexesOf(ns);
    const isDeclared = (index: IndexEntry) => declared.some((definition) => isDefinedAs(index, definition));
    const missing = declared.filter(
      (definition) => !existing.some((index) => isDefinedAs(index, definition)),
    );
    const added = missing.length === 0 ? [] : this.#add(ns, missing);
    const entries = this.#indexesOf(ns).filter(isDeclared);
    const newest = entries.filter((index) => !isSuperseded(index, entries));
    // The older index enforces uniqueness until the newer one is ready.
    const superseded = entries.filter((index) =>
      isSuperseded(
        index,
        newest.filter(({ ready }) => ready),
      ),
    );
    const undeclared = [...existing.filter((index) => !isDeclared(index)), ...superseded];
    return {
      added,
      undeclared: undeclared.map(({ n }) => n),
      unfinished: newest.filter(({ ready }) => !ready),
    };
  }

  #add(ns: Namespace, missing: readonly IndexDefinition[]): readonly number[] {
    const { writer } = this.#deps;
    return inWriteTransaction(writer, () => {
      const { catalogue } = writer;
      // An empty collection needs no build.
      const ready = catalogue.ensure(ns).documents === 0;
      return missing.map((definition) => catalogue.addIndex(catalogue.ensure(ns), definition, ready).n);
    });
  }

  async #write<T>(work: () => T): Promise<T> {
    return this.#deps.queue.run(() => retryWhileBusy(work, undefined), { internal: true });
  }

  /** Cancels the builds first: a build must not find its index gone. */
  async #dropAll(numbers: readonly number[]): Promise<void> {
    for (const n of numbers) {
      await this.#builds.cancel(n);
      await this.#drop(n);
    }
  }

  async #drop(n: number): Promise<void> {
    const { writer, queue, threads, checkpointer, limits } = this.#deps;
    if (isSmall(writer, n, limits)) await this.#write(() => dropIndex(writer, n));
    else await queue.run(() => threads.drop(n), { internal: true });
    checkpointer.afterWrite();
  }

  /** Drops a background index that the data make impossible, so that writes do not have to satisfy it. */
  async #failed(n: number, error: unknown): Promise<void> {
    const { writer, onError } = this.#deps;
    writer.catalogue.refresh();
    const index = findIndex(writer, n)?.index;
    if (index === undefined || index.definition.unique) return;
    if (!this.#closed) onError(error);
    if (!(error instanceof StoreError) || error.reason !== 'parallel-arrays') return;
    await this.#drop(n).catch(onError);
  }
}

/** Waits for all builds, then throws the first error as a StoreError. */
async function allBuilds(builds: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(builds);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw asStoreError(failed.reason);
}

/** Joins the main connection with the writer thread. */
export function createIndexMigrator(deps: IndexMigratorDeps): IndexMigrator {
  return new SqliteIndexMigrator(deps);
}
