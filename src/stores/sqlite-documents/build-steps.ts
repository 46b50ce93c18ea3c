// The steps of an index build: slices on the main thread for little data, on the writer thread for more.
import type { BuildSteps } from './build-queue.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { WriteContext } from './commit/apply-writes.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { retryWhileBusy } from './commits.ts';
import { buildSlice, findIndex } from './indexes/index-build.ts';
import type { Threads } from './threads/threads.ts';

export interface BuildLimits {
  /** How long one slice of a build on the writer thread keeps other writes waiting, in milliseconds. */
  readonly sliceMs: number;
  /** Collections up to this much text are indexed on the main thread, in slices of `smallSliceMs`. */
  readonly smallText: number;
  readonly smallSliceMs: number;
}

export interface BuildStepsDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly wal: Checkpointer;
  readonly limits: BuildLimits;
  /** Hears of what is left in temporary files. */
  readonly onError: (error: unknown) => void;
}

export const BUILD_LIMITS: BuildLimits = { sliceMs: 15, smallText: 256 * 1024, smallSliceMs: 5 };

/** True when so little text is indexed that the main thread does it. */
export function isSmall(writer: WriteContext, n: number, { smallText }: BuildLimits): boolean {
  writer.catalogue.refresh();
  const found = findIndex(writer, n);
  return found !== undefined && found.entry.bytes <= smallText;
}

export function createBuildSteps(options: BuildStepsDeps): Pick<BuildSteps, 'step' | 'discard'> {
  const { writer, threads, queue, wal, limits, onError } = options;
  /** What the writer thread does next for a build that has begun there: it ends there, however small the data become. */
  const beside = new Map<number, 'gather' | 'fill'>();

  const discard = async (n: number) => {
    if (!beside.delete(n)) return;
    await threads.discard(n).catch(onError);
  };

  const stepHere = async (n: number) => {
    const task = { index: n, ms: limits.smallSliceMs };
    const work = () => retryWhileBusy(() => buildSlice(writer, task), undefined);
    const state = await queue.run(work, { internal: true });
    wal.afterWrite();
    return state === 'building' ? 'more' : 'done';
  };

  const stepBeside = async (n: number) => {
    const task = { index: n, ms: limits.sliceMs };
    if (beside.get(n) !== 'fill') {
      const state = await threads.gather(task);
      if (state === 'gathered') beside.set(n, 'fill');
      return state === 'gathering' || state === 'gathered' ? 'more' : 'done';
    }
    const state = await queue.run(() => threads.fill(task), { internal: true });
    wal.afterWrite(true);
    if (state === 'lost') beside.set(n, 'gather');
    return state === 'filling' || state === 'lost' ? 'more' : 'done';
  };

  return {
    async step(n) {
      if (!beside.has(n)) {
        if (isSmall(writer, n, limits)) return stepHere(n);
        beside.set(n, 'gather');
      }
      const state = await stepBeside(n);
      if (state === 'done') await discard(n);
      return state;
    },
    discard,
  };
}
