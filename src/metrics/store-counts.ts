// The operations of the document store, counted by a store around it.
import { StoreError } from '../errors/errors.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { Counters, Histogram, type Series } from './metric.ts';

const OPERATIONS = [
  'find',
  'find_by_ids',
  'count',
  'commit',
  'ensure_indexes',
  'stats',
  'collections',
  'health',
] as const;
type Operation = (typeof OPERATIONS)[number];

const outcomeOf = (error: unknown) => (error instanceof StoreError ? error.reason : 'error');

/** One operation. */
class OperationCounts {
  readonly byOutcome = new Counters<string>();
  readonly durations = new Histogram();

  record(outcome: string, ms: number): void {
    this.durations.observe(ms / 1000);
    this.byOutcome.add(outcome);
  }
}

export class StoreCounts {
  readonly #now: () => number;
  readonly #operations = Object.fromEntries(
    OPERATIONS.map((operation) => [operation, new OperationCounts()]),
  ) as Readonly<Record<Operation, OperationCounts>>;

  /** `now`: milliseconds of a steady clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The same store, whose operations are counted from now on. */
  around(store: DocumentStore): DocumentStore {
    const now = this.#now;
    const counts = this.#operations;
    /** Counts an operation once it has ended, and gives its result on as it is: at once, or the same promise. */
    const end = <R>(operation: Operation, since: number, result: R): R => {
      const of = counts[operation];
      if (!(result instanceof Promise)) of.record('ok', now() - since);
      else {
        result.then(
          () => of.record('ok', now() - since),
          (error: unknown) => of.record(outcomeOf(error), now() - since),
        );
      }
      return result;
    };
    return {
      find: (...of) => end('find', now(), store.find(...of)),
      findText: (...of) => end('find', now(), store.findText(...of)),
      findPage: (...of) => end('find', now(), store.findPage(...of)),
      findByIds: (...of) => end('find_by_ids', now(), store.findByIds(...of)),
      count: (...of) => end('count', now(), store.count(...of)),
      commit: (...of) => end('commit', now(), store.commit(...of)),
      ensureIndexes: (...of) => end('ensure_indexes', now(), store.ensureIndexes(...of)),
      stats: (...of) => end('stats', now(), store.stats(...of)),
      collections: () => end('collections', now(), store.collections()),
      health: () => end('health', now(), store.health()),
      status: () => store.status(),
      onCommit: (listener) => store.onCommit(listener),
      close: () => store.close(),
    };
  }

  readTotals(): readonly Series[] {
    return Object.entries(this.#operations).flatMap(([operation, { byOutcome }]) =>
      byOutcome.read((outcome) => ({ operation, outcome })),
    );
  }

  readDurations(): readonly Series[] {
    return Object.entries(this.#operations).map(([operation, { durations }]) => ({
      labels: { operation },
      value: durations,
    }));
  }
}
