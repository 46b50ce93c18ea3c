// Runs patterns of specifications on a worker thread, if patterns or texts are too expensive for the main thread.
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../errors/errors.ts';
import type { PatternJob, PatternTask } from './match-patterns.ts';
import { createWatch, progressCells, resultsOf } from './pattern-progress.ts';
import { createWorkerPool } from './worker-pool.ts';

const JOB_TIMEOUT_MS = 100;
const BATCH_TIMEOUT_MS = 200;
/** How often the main thread looks at the pattern that runs, in milliseconds. */
const WATCH_MS = 10;
const MAX_JOBS = 200;
/** In UTF-16 units: sending text to the worker costs time on the main thread. */
const MAX_TEXT_LENGTH = 1_000_000;
// As long as a request may spend on the database. Jobs that wait longer are rejected with QUERY_TIMEOUT.
const QUEUE_TIMEOUT_MS = 5_000;
// For a batch of which nothing is known, or which the machine does not run: its thread is ended and replaced.
const THREAD_TIMEOUT_MS = 2_000;

export interface PatternWorker {
  /**
   * True if every text matches. False if that takes more than 100 ms of the thread's time. Throws QUERY_TIMEOUT if the thread
   * is too busy to start within 5 s or to answer within two more, a StartError if there is none.
   */
  matches(rule: Pick<PatternJob, 'pattern' | 'flags'>, texts: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

interface WaitingJob {
  readonly job: PatternJob;
  readonly until: number;
  readonly outcome: PromiseWithResolvers<boolean>;
}

interface BatchEnd {
  /** Of the first jobs; the others are to be sent again. */
  readonly results: readonly boolean[];
  /** Whether the thread did not answer, so that it was ended in the middle of the next job or before it. */
  readonly isSilent: boolean;
}

const TASK = new URL(`./match-patterns${extname(import.meta.url)}`, import.meta.url);

const busy = () =>
  new AppError('QUERY_TIMEOUT', { message: 'The patterns of this collection keep the server too busy' });

// The queue is sorted by `until`: expired jobs are at its front.
function expire(waiting: WaitingJob[], now: number): void {
  const firstValid = waiting.findIndex(({ until }) => until >= now);
  for (const { outcome } of waiting.splice(0, firstValid === -1 ? waiting.length : firstValid)) {
    outcome.reject(busy());
  }
}

/** The next batch: as many jobs as fit, but at least one. */
function nextBatch(waiting: readonly WaitingJob[]): readonly WaitingJob[] {
  const batch: WaitingJob[] = [];
  let length = 0;
  for (const entry of waiting.slice(0, MAX_JOBS)) {
    length += entry.job.texts.reduce((sum, text) => sum + text.length, 0);
    if (batch.length > 0 && length > MAX_TEXT_LENGTH) break;
    batch.push(entry);
  }
  return batch;
}

/**
 * Creates the worker, whose thread starts with the first call. Calls run in order. `now` gives milliseconds, for the wait alone; a
 * thread that does not answer for `threadMs` is ended.
 */
export function createPatternWorker({
  now = () => performance.now(),
  threadMs = THREAD_TIMEOUT_MS,
} = {}): PatternWorker {
  const pool = createWorkerPool({ maxThreads: 1 });
  const waiting: WaitingJob[] = [];
  let pump: Promise<void> | undefined;

  /** The thread is ended at the first job that has had its time, which has no match then. */
  const runJobs = async (jobs: readonly PatternJob[]): Promise<BatchEnd> => {
    const progress = progressCells(jobs.length);
    const overtime = new AbortController();
    const silence = AbortSignal.timeout(threadMs);
    const overdueJob = createWatch(progress, {
      limitMs: JOB_TIMEOUT_MS,
      cpuMs: () => pool.cpuMs(),
      now: () => performance.now(),
    });
    let overdue: number | undefined;
    let isOver = false;
    const watch = async () => {
      while (!isOver && overdue === undefined) {
        await pause(WATCH_MS, undefined, { ref: false });
        overdue = await overdueJob();
      }
      overtime.abort();
    };
    const task: PatternTask = { jobs, totalMs: BATCH_TIMEOUT_MS, progress };
    const signal = AbortSignal.any([overtime.signal, silence]);
    void watch();
    try {
      await pool.run(task, { module: TASK.href, name: 'matchPatterns', signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      isOver = true;
    }
    const results = resultsOf(progress);
    if (results.length === overdue) return { results: [...results, false], isSilent: false };
    return { results, isSilent: silence.aborted && results.length < jobs.length };
  };

  const runBatch = async (): Promise<void> => {
    expire(waiting, now());
    const batch = nextBatch(waiting);
    if (batch.length === 0) return;
    try {
      const { results, isSilent } = await runJobs(batch.map(({ job }) => job));
      for (const [position, result] of results.entries()) batch[position]?.outcome.resolve(result);
      waiting.splice(0, results.length);
      // Nothing is known about what the next would have said.
      if (isSilent) waiting.shift()?.outcome.reject(busy());
    } catch (error) {
      for (const { outcome } of batch) outcome.reject(error);
      waiting.splice(0, batch.length);
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await runBatch();
    pump = undefined;
  };

  return {
    matches({ pattern, flags }, texts) {
      const outcome = Promise.withResolvers<boolean>();
      waiting.push({ job: { pattern, flags, texts }, until: now() + QUEUE_TIMEOUT_MS, outcome });
      pump ??= drain();
      return outcome.promise;
    },
    async close() {
      await pump;
      await pool.close();
    },
  };
}
