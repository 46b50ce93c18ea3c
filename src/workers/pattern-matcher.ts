// Runs the patterns of specifications on a thread of their own, where patterns or texts are too much for the main one.
import { extname } from 'node:path';
import type { Piscina } from 'piscina';
import { AppError } from '../errors.ts';
import type { PatternJob, PatternTask } from './match-patterns.ts';

const LIMIT_MS = 100;
const TOTAL_MS = 200;
const JOBS_AT_ONCE = 200;
/** In UTF-16 units: sending text to the thread costs this one time. */
const TEXT_AT_ONCE = 1_000_000;
// As long as a request may spend on the database: whoever waits longer is told to come again.
const WAIT_MS = 5_000;
// For a thread that does not even obey its own clock: it is ended and replaced.
const STUCK_MS = 2_000;

export interface PatternMatcher {
  /**
   * Does every text match? False when that takes more than 100 ms of the thread's time. Throws QUERY_TIMEOUT when
   * the thread is too busy to come to it within 5 s.
   */
  matches(rule: Pick<PatternJob, 'pattern' | 'flags'>, texts: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: PatternJob;
  readonly until: number;
  readonly outcome: PromiseWithResolvers<boolean>;
}

async function createPool(): Promise<Piscina> {
  const piscina = await import('piscina');
  const task = new URL(`./match-patterns${extname(import.meta.url)}`, import.meta.url);
  return new piscina.Piscina({ filename: task.href, minThreads: 0, maxThreads: 1, idleTimeout: 30_000 });
}

// The queue is in the order of `until`, so those who waited too long stand at its front.
function expire(waiting: Waiting[]): void {
  const now = performance.now();
  const living = waiting.findIndex(({ until }) => until >= now);
  const message = 'The patterns of this collection keep the server too busy';
  for (const { outcome } of waiting.splice(0, living === -1 ? waiting.length : living)) {
    outcome.reject(new AppError('QUERY_TIMEOUT', { message }));
  }
}

/** The first of those who wait, as many as go at once, but at least one. */
function nextTurn(waiting: readonly Waiting[]): readonly Waiting[] {
  const turn: Waiting[] = [];
  let length = 0;
  for (const one of waiting.slice(0, JOBS_AT_ONCE)) {
    length += one.job.texts.reduce((sum, text) => sum + text.length, 0);
    if (turn.length > 0 && length > TEXT_AT_ONCE) break;
    turn.push(one);
  }
  return turn;
}

/** Nothing is started before the first call. Calls are taken in the order in which they come. */
export function createPatternMatcher(): PatternMatcher {
  let pool: Promise<Piscina> | undefined;
  const waiting: Waiting[] = [];
  let pump: Promise<void> | undefined;

  const verdictsOf = async (jobs: readonly PatternJob[]): Promise<readonly boolean[]> => {
    pool ??= createPool();
    const ready = await pool;
    const signal = AbortSignal.timeout(STUCK_MS);
    const task: PatternTask = { jobs, limitMs: LIMIT_MS, totalMs: TOTAL_MS };
    try {
      return (await ready.run(task, { signal, name: 'matchPatterns' })) as readonly boolean[];
    } catch (error) {
      if (signal.aborted) return [false];
      throw error;
    }
  };

  const takeTurn = async (): Promise<void> => {
    expire(waiting);
    const turn = nextTurn(waiting);
    if (turn.length === 0) return;
    try {
      const verdicts = await verdictsOf(turn.map(({ job }) => job));
      for (const [position, verdict] of verdicts.entries()) turn[position]?.outcome.resolve(verdict);
      waiting.splice(0, verdicts.length);
    } catch (error) {
      for (const { outcome } of turn) outcome.reject(error);
      waiting.splice(0, turn.length);
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await takeTurn();
    pump = undefined;
  };

  return {
    matches({ pattern, flags }, texts) {
      const outcome = Promise.withResolvers<boolean>();
      waiting.push({ job: { pattern, flags, texts }, until: performance.now() + WAIT_MS, outcome });
      pump ??= drain();
      return outcome.promise;
    },
    async close() {
      await pump;
      await (await pool)?.destroy();
    },
  };
}
