// Brings the declared indexes of a collection into being: unique ones before the answer, the others in the background.
import { StoreError } from '../../errors.ts';
import type { IndexDefinition, Namespace } from '../ports.ts';
import type { FillState, GatherState } from './bulk-build.ts';
import type { IndexEntry } from './catalogue.ts';
import type { Writer } from './commit.ts';
import { patiently } from './commits.ts';
import { inTransaction } from './connection.ts';
import { buildSlice, dropIndex, findIndex } from './index-build.ts';
import type { Threads } from './threads.ts';
import type { WalKeeper } from './wal-keeper.ts';
import type { WriteQueue } from './write-queue.ts';

interface Collaborators {
  readonly writer: Writer;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly wal: WalKeeper;
  /** Hears of background builds that fail. */
  readonly onError: (error: unknown) => void;
}

export interface Indexing {
  ensure(ns: Namespace, indexes: readonly IndexDefinition[]): Promise<{ readonly built: Promise<void> }>;
  /** Stops building after the slice that runs, and resolves then. What is unfinished goes on at the next start. */
  close(): Promise<void>;
}

/** How long one slice of a build keeps other writes waiting. */
const SLICE_MS = 15;
/** Collections up to this much text are indexed on the main thread, in slices of this length. */
const SMALL_TEXT = 256 * 1024;
const SMALL_SLICE_MS = 5;

const isSame = (entry: IndexEntry, definition: IndexDefinition) =>
  JSON.stringify(entry.definition) === JSON.stringify(canonical(definition));

/** The members in one order, so that equal definitions are equal as text. */
function canonical({ name, keys, unique, sparse }: IndexDefinition): IndexDefinition {
  return { name, keys: keys.map(({ path, direction, fold }) => ({ path, direction, fold })), unique, sparse };
}

class IndexBuilder implements Indexing {
  readonly #parts: Collaborators;
  /** The last `ensure` of each name space: they follow one another. */
  readonly #latest = new Map<string, Promise<unknown>>();
  /** One background build at a time. */
  #background: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: Collaborators) {
    this.#parts = parts;
  }

  async ensure(ns: Namespace, indexes: readonly IndexDefinition[]) {
    const key = `${ns.database ?? ''}/${ns.collection}`;
    const before = this.#latest.get(key);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return this.#ensureNow(ns, indexes.map(canonical));
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
    await Promise.allSettled([...this.#latest.values(), this.#background]);
  }

  async #ensureNow(ns: Namespace, wanted: readonly IndexDefinition[]) {
    const { added, unnamed } = await this.#write(() => this.#declare(ns, wanted));
    const unfinished = this.#indexesOf(ns).filter((index) => !index.ready && !unnamed.includes(index.n));
    try {
      for (const index of unfinished) if (index.definition.unique) await this.#build(index.n);
    } catch (error) {
      await this.#dropAll(added);
      throw error;
    }
    await this.#dropAll(unnamed);
    const built = this.#buildLater(unfinished.filter((index) => !index.definition.unique));
    return { built };
  }

  #indexesOf(ns: Namespace): readonly IndexEntry[] {
    this.#parts.writer.catalogue.refresh();
    return this.#parts.writer.catalogue.get(ns)?.indexes ?? [];
  }

  /** Adds what is new to the catalogue, and tells the numbers of that and of what is no longer named. */
  #declare(ns: Namespace, wanted: readonly IndexDefinition[]) {
    const { connection, catalogue } = this.#parts.writer;
    const existing = this.#indexesOf(ns);
    const missing = wanted.filter((definition) => !existing.some((index) => isSame(index, definition)));
    const unnamed = existing
      .filter((index) => !wanted.some((definition) => isSame(index, definition)))
      .map((index) => index.n);
    if (missing.length === 0) return { added: [], unnamed };
    try {
      return inTransaction(connection, 'immediate', () => {
        catalogue.refresh();
        const ready = catalogue.ensure(ns).documents === 0;
        const added = missing.map(
          (definition) => catalogue.addIndex(catalogue.ensure(ns), definition, ready).n,
        );
        return { added, unnamed };
      });
    } catch (error) {
      catalogue.invalidate();
      throw error;
    }
  }

  async #write<T>(work: () => T): Promise<T> {
    return this.#parts.queue.run(() => patiently(work, undefined), { internal: true });
  }

  async #dropAll(numbers: readonly number[]): Promise<void> {
    const { writer, queue, threads, wal } = this.#parts;
    for (const n of numbers) {
      if (this.#isSmall(n)) await this.#write(() => dropIndex(writer, n));
      else await queue.run(() => threads.drop(n), { internal: true });
      wal.wrote();
    }
  }

  /** Slice after slice until the index is ready or gone. Whoever waits for the queue or the event loop goes first. */
  async #build(n: number): Promise<void> {
    while (!(await (this.#isSmall(n) ? this.#buildHere(n) : this.#buildBeside(n)))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('unavailable', { cause: 'the store is closing' });
  }

  /** One slice on the main thread; true when there is no more to do. */
  async #buildHere(n: number): Promise<boolean> {
    this.#assertOpen();
    const task = { index: n, ms: SMALL_SLICE_MS };
    return (await this.#write(() => buildSlice(this.#parts.writer, task))) !== 'building';
  }

  /** A whole build on the writer thread; false when it has to be begun anew. */
  async #buildBeside(n: number): Promise<boolean> {
    const { queue, threads, wal } = this.#parts;
    const task = { index: n, ms: SLICE_MS };
    let gathered: GatherState = 'gathering';
    while (gathered === 'gathering') {
      this.#assertOpen();
      gathered = await threads.gather(task);
    }
    let filled: FillState = gathered === 'gone' ? 'gone' : 'filling';
    while (filled === 'filling') {
      this.#assertOpen();
      filled = await queue.run(() => threads.fill(task), { internal: true });
      wal.wrote(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return filled !== 'lost';
  }

  #isSmall(n: number): boolean {
    const found = findIndex(this.#parts.writer, n);
    return found !== undefined && found.entry.bytes <= SMALL_TEXT;
  }

  #buildLater(indexes: readonly IndexEntry[]): Promise<void> {
    if (indexes.length === 0) return Promise.resolve();
    const built = this.#background.then(() => this.#buildEach(indexes));
    this.#background = built.catch((error: unknown) => {
      if (!this.#closed) this.#parts.onError(error);
    });
    return built;
  }

  /** One that fails does not keep the others from being built; the first failure is the one to hear of. */
  async #buildEach(indexes: readonly IndexEntry[]): Promise<void> {
    const failures: unknown[] = [];
    for (const { n } of indexes) await this.#buildOrDrop(n).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** An index that data make impossible is dropped, so that writes are not held to it. */
  async #buildOrDrop(n: number): Promise<void> {
    try {
      await this.#build(n);
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'parallel-arrays') await this.#dropAll([n]);
      throw error;
    }
  }
}

/** Joins the main connection with the writer thread. */
export function createIndexing(parts: Collaborators): Indexing {
  return new IndexBuilder(parts);
}
