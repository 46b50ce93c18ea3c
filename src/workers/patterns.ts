// Runs the patterns of specifications that are beyond the linear-time engine on a thread of their own.
import { extname } from 'node:path';
import type { Piscina } from 'piscina';
import { AppError } from '../errors.ts';
import type { PatternTask } from './pattern.ts';

const LIMIT_MS = 100;
// For a thread that does not even obey its own clock: it is ended and replaced.
const STUCK_MS = 2_000;
const MAX_WAITING = 1_000;

export interface Patterns {
  /** Does every text match? False when that takes more than 100 ms. Throws STORE_BUSY when too many calls wait. */
  matches(rule: Pick<PatternTask, 'pattern' | 'flags'>, texts: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

async function createPool(): Promise<Piscina> {
  const piscina = await import('piscina');
  const task = new URL(`./pattern${extname(import.meta.url)}`, import.meta.url);
  return new piscina.Piscina({ filename: task.href, minThreads: 0, maxThreads: 1, idleTimeout: 30_000 });
}

/** Nothing is started before the first call. Calls run one after the other. */
export function createPatterns(): Patterns {
  let pool: Promise<Piscina> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const run = async (task: PatternTask): Promise<boolean> => {
    pool ??= createPool();
    const ready = await pool;
    const signal = AbortSignal.timeout(STUCK_MS);
    try {
      return (await ready.run(task, { signal, name: 'matchPattern' })) === true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  };

  return {
    async matches({ pattern, flags }, texts) {
      if (waiting >= MAX_WAITING)
        throw new AppError('STORE_BUSY', { message: 'Too many patterns are waiting' });
      waiting += 1;
      const result = last.then(() => run({ pattern, flags, texts, limitMs: LIMIT_MS }));
      last = result.catch(() => undefined);
      return result.finally(() => {
        waiting -= 1;
      });
    },
    async close() {
      await last;
      await (await pool)?.destroy();
    },
  };
}
