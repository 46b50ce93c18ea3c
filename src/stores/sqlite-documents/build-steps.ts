// Steps of an index build: slices on the main thread for small collections, on the writer thread for large ones.
import type { BuildSteps } from './build-queue.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { retryWhileBusy } from './data-file/connection.ts';
import { buildSlice, findIndex } from './indexes/index-build.ts';
import type { WriteContext } from './indexes/index-update.ts';
import type { Threads } from './threads/threads.ts';

export interface BuildLimits {
  /** Milliseconds for which a slice on the writer thread blocks other writes. */
  readonly sliceMs: number;
  /** Collections up to this text are indexed on the main thread, in slices of `smallSliceMs`. */
  readonly smallText: number;
  readonly smallSliceMs: number;
}

export interface BuildStepsDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly checkpointer: Checkpointer;
  readonly limits: BuildLimits;
  /** Called if temporary tables cannot be deleted. */
  readonly onError: (error: unknown) => void;
}

export const BUILD_LIMITS: BuildLimits = { sliceMs: 15, smallText: 256 * 1024, smallSliceMs: 5 };

/** Whether the collection of the index is small enough for the main thread. */
export function isSmall(writer: WriteContext, n: number, { smallText }: BuildLimits): boolean {
  writer.catalogue.refresh();
  const found = findIndex(writer, n);
  return found !== undefined && found.entry.bytes <= smallText;
}

export function createBuildSteps(deps: BuildStepsDeps): Pick<BuildSteps, 'step' | 'discard'> {
  const { writer, threads, queue, checkpointer, limits, onError } = deps;
  /** Next step of the builds on the writer thread. A build ends on the thread where it started. */
  const onThread = new Map<number, 'gather' | 'fill'>();

  const discard = async (n: number) => {
    if (!onThread.delete(n)) return;
    await threads.discard(n).catch(onError);
  };

  const stepOnMain = async (n: number) => {
    const task = { index: n, ms: limits.smallSliceMs };
    const work = () => retryWhileBusy(() => buildSlice(writer, task), undefined);
    const state = await queue.run(work, { internal: true });
    checkpointer.afterWrite();
    return state === 'building' ? 'more' : 'done';
  };

  const stepOnThread = async (n: number) => {
    const task = { index: n, ms: limits.sliceMs };
    if (onThread.get(n) !== 'fill') {
      const state = await threads.gather(task);
      if (state === 'gathered') onThread.set(n, 'fill');
      return state === 'gathering' || state === 'gathered' ? 'more' : 'done';
    }
    const state = await queue.run(() => threads.fill(task), { internal: true });
    checkpointer.afterWrite(true);
    if (state === 'lost') onThread.set(n, 'gather');
    return state === 'filling' || state === 'lost' ? 'more' : 'done';
  };

  return {
    async step(n) {
      if (!onThread.has(n)) {
        if (isSmall(writer, n, limits)) return stepOnMain(n);
        onThread.set(n, 'gather');
      }
      const state = await stepOnThread(n);
      if (state === 'done') await discard(n);
      return state;
    },
    discard,
  };
}
