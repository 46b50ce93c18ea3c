// The parts of a store joined by hand, for tests that look at one of them.
import { onTestFinished } from 'vitest';
import { createCommits } from '../../../src/stores/sqlite-documents/commits.ts';
import { createCountCache } from '../../../src/stores/sqlite-documents/count-cache.ts';
import { createIndexing } from '../../../src/stores/sqlite-documents/indexing.ts';
import { createQueries } from '../../../src/stores/sqlite-documents/queries.ts';
import { createThreads, type Threads } from '../../../src/stores/sqlite-documents/threads.ts';
import { createWalKeeper } from '../../../src/stores/sqlite-documents/wal-keeper.ts';
import { createWriteQueue } from '../../../src/stores/sqlite-documents/write-queue.ts';
import { openWorkbench } from './workbench.ts';

/** Everything but the store itself, with a list of the thread tasks that were asked for. */
export function openJoined({ freeBytes = () => Number.POSITIVE_INFINITY } = {}) {
  const bench = openWorkbench();
  const real = createThreads(bench.file);
  onTestFinished(() => real.close());
  const asked: string[] = [];
  const threads: Threads = {
    ...real,
    find: (task) => note('find', real.find(task)),
    count: (task) => note('count', real.count(task)),
    space: (task) => note('space', real.space(task)),
    commit: (task) => note('commit', real.commit(task)),
    gather: (task) => note('gather', real.gather(task)),
    fill: (task) => note('fill', real.fill(task)),
    drop: (task) => note('drop', real.drop(task)),
    checkpoint: (task) => note(task ? 'truncate' : 'checkpoint', real.checkpoint(task)),
  };
  function note<T>(name: string, work: T): T {
    asked.push(name);
    return work;
  }
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const queue = createWriteQueue(100);
  const { connection } = bench;
  // Time stands still, so that only the amount of work decides where it is done.
  const clock = () => 0;
  const wal = createWalKeeper({ connection, threads, queue, onError, freeBytes, clock });
  const parts = { writer: bench, threads, queue, wal, onError, clock };
  return {
    bench,
    threads,
    asked,
    errors,
    queue,
    wal,
    commits: createCommits(parts),
    indexing: createIndexing(parts),
    queries: createQueries({ reader: bench, threads, counts: createCountCache(), clock }),
  };
}
