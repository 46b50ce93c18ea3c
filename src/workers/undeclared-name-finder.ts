// Looks for undeclared names on a thread of its own: parsing hostile text may take any time, or all memory of its thread.
import { extname } from 'node:path';
import type { Piscina } from 'piscina';
import type { UndeclaredName } from './find-undeclared-names.ts';

const LIMIT_MS = 1000;
const HEAP_MB = 128;
const WAITING_MOST = 16;

export interface UndeclaredNameFinder {
  /** None where the text takes too long, or too many others wait. Never rejects. */
  find(source: string): Promise<readonly UndeclaredName[]>;
  close(): Promise<void>;
}

async function createPool(): Promise<Piscina> {
  const piscina = await import('piscina');
  const task = new URL(`./find-undeclared-names${extname(import.meta.url)}`, import.meta.url);
  return new piscina.Piscina({
    filename: task.href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: WAITING_MOST,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** Nothing is started before the first call. A text may take `limitMs`. */
export function createUndeclaredNameFinder(limitMs = LIMIT_MS): UndeclaredNameFinder {
  let pool: Promise<Piscina> | undefined;
  return {
    async find(source) {
      pool ??= createPool();
      const ready = await pool;
      const signal = AbortSignal.timeout(limitMs);
      try {
        return (await ready.run(source, {
          signal,
          name: 'findUndeclaredNames',
        })) as readonly UndeclaredName[];
      } catch {
        // A hint that cannot be had is not worth refusing code for.
        return [];
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}
