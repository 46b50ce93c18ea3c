// The parts of a store joined by hand, for tests that look at one of them.
import { onTestFinished } from 'vitest';
import type { BuildLimits } from '../../../src/stores/sqlite-documents/build-queue.ts';
import { createCheckpointer } from '../../../src/stores/sqlite-documents/checkpointer.ts';
import { createWriteQueue } from '../../../src/stores/sqlite-documents/commit/write-queue.ts';
import { createCommits } from '../../../src/stores/sqlite-documents/commits.ts';
import { createCountCache } from '../../../src/stores/sqlite-documents/count-cache.ts';
import { createIndexMigrator } from '../../../src/stores/sqlite-documents/index-migrator.ts';
import { createQueries } from '../../../src/stores/sqlite-documents/queries.ts';
import { createThreads, type Threads } from '../../../src/stores/sqlite-documents/threads/threads.ts';
import { openTestDatabase } from './test-database.ts';

interface StorePartsOptions {
  readonly limits?: Partial<BuildLimits>;
  readonly freeBytes?: () => number;
}

/** Everything but the store itself, with a list of the thread tasks that were asked for. */
export function openStoreParts({
  limits = {},
  freeBytes = () => Number.POSITIVE_INFINITY,
}: StorePartsOptions = {}) {
  const bench = openTestDatabase();
  const real = createThreads(bench.file);
  onTestFinished(() => real.close());
  const asked: string[] = [];
  const threads: Threads = {
    ...real,
    find: (task) => note('find', real.find(task)),
    count: (task) => note('count', real.count(task)),
    diskUsage: (task) => note('space', real.diskUsage(task)),
    commit: (task) => note('commit', real.commit(task)),
    gather: (task) => failing('gather') ?? note('gather', real.gather(task)),
    fill: (task) => failing('fill') ?? note('fill', real.fill(task)),
    discard: (task) => note('discard', real.discard(task)),
    drop: (task) => note('drop', real.drop(task)),
    checkpoint: (task) => note(task, real.checkpoint(task)),
  };
  const waiting: { readonly name: string; left: number; readonly reached: () => void }[] = [];
  let failure: { readonly name: string; left: number; readonly error: unknown } | undefined;
  function note<T>(name: string, work: T): T {
    asked.push(name);
    for (const waiter of waiting.filter((candidate) => candidate.name === name)) {
      waiter.left -= 1;
      if (waiter.left === 0) waiter.reached();
    }
    return work;
  }
  function failing(name: string): Promise<never> | undefined {
    if (failure?.name !== name) return undefined;
    failure.left -= 1;
    if (failure.left > 0) return undefined;
    const { error } = failure;
    failure = undefined;
    return Promise.reject(error);
  }
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const queue = createWriteQueue({ limit: 100 });
  const { connection } = bench;
  // Time stands still, so that only the amount of work decides where it is done.
  const clock = () => 0;
  const checkpointer = createCheckpointer({ connection, threads, queue, onError, freeBytes, clock });
  const parts = { writer: bench, threads, queue, checkpointer, onError, clock, limits };
  return {
    bench,
    threads,
    asked,
    errors,
    /** Resolves when that many more tasks of this name were asked for. */
    afterTasks: (name: string, left: number) =>
      new Promise<void>((reached) => waiting.push({ name, left, reached })),
    /** Makes the task of this name fail that comes after so many. */
    failAt(name: 'gather' | 'fill', left: number, error: unknown) {
      failure = { name, left, error };
    },
    queue,
    checkpointer,
    commits: createCommits(parts),
    indexing: createIndexMigrator(parts),
    queries: createQueries({ reader: bench, threads, counts: createCountCache(), clock }),
  };
}
