// Finds undeclared names on a worker thread: parsing hostile text may take any time, or all memory of its thread.
import { extname } from 'node:path';
import type { Piscina } from 'piscina';
import type { UndeclaredName } from './find-undeclared-names.ts';
import { createWorkerPool } from './worker-pool.ts';

const TIMEOUT_MS = 1000;
const HEAP_MB = 128;
const MAX_WAITING = 16;

export interface UndeclaredNameFinder {
  /** Empty if the text takes too long, or too many others wait. Never rejects. */
  find(source: string): Promise<readonly UndeclaredName[]>;
  close(): Promise<void>;
}

const TASK = new URL(`./find-undeclared-names${extname(import.meta.url)}`, import.meta.url);

/** Creates the finder, whose thread starts with the first call. A text may take `limitMs`. */
export function createUndeclaredNameFinder(limitMs = TIMEOUT_MS): UndeclaredNameFinder {
  let pool: Promise<Piscina> | undefined;
  return {
    async find(source) {
      pool ??= createWorkerPool({ task: TASK, maxThreads: 1, maxQueue: MAX_WAITING, heapMb: HEAP_MB });
      const ready = await pool;
      const signal = AbortSignal.timeout(limitMs);
      try {
        return (await ready.run(source, {
          signal,
          name: 'findUndeclaredNames',
        })) as readonly UndeclaredName[];
      } catch {
        // The names are only a warning: code is not rejected without them.
        return [];
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}
