// Queue of index builds. One step of one build runs at a time: on the main thread for small collections, on the writer thread for
// large ones.
import { setTimeout } from 'node:timers/promises';
import { StoreError } from '../../errors/errors.ts';
import { yieldToEventLoop } from '../../lib/async/maybe-promise.ts';
import type { BuildTurn } from './build-turn.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { retryWhileBusy } from './data-file/connection.ts';
import { buildSlice, findIndex } from './indexes/index-build.ts';
import type { WriteContext } from './indexes/index-update.ts';
import type { Threads } from './threads/threads.ts';

/** The steps of a build. `n` is the number of the index. */
export interface BuildSteps {
  /** Runs the next step. */
  step(n: number): Promise<'more' | 'done'>;
  /** Deletes the results of earlier steps, so that the next build starts over. Must not reject. */
  discard(n: number): Promise<void>;
  /** Called once for a failed build, after `discard` and before its promise rejects. Must not reject. */
  onFailed(n: number, error: unknown): Promise<void>;
  /** Called when nothing is left to build. */
  readonly onIdle?: () => void;
}

export interface BuildQueue {
  /**
   * Builds the index, or joins its current build. Resolves when it is ready or cancelled.
   * `urgent` builds run first: others pause after their current step.
   */
  run(n: number, urgent: boolean): Promise<void>;
  /** Cancels the build of the index, if there is one. Resolves when none of its steps is running. */
  cancel(n: number): Promise<void>;
  /** Rejects every build with `unavailable` after the current step, then resolves. */
  close(): Promise<void>;
}

interface QueuedBuild {
  readonly n: number;
  readonly urgent: boolean;
  readonly done: PromiseWithResolvers<void>;
}

class SerialBuildQueue implements BuildQueue {
  readonly #steps: BuildSteps;
  /** By number, in order of arrival. Builds that have ended or were cancelled are removed. */
  readonly #builds = new Map<number, QueuedBuild>();
  #current: { readonly n: number; readonly step: Promise<unknown> } | undefined;
  #isDraining = false;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(steps: BuildSteps) {
    this.#steps = steps;
  }

  run(n: number, urgent: boolean): Promise<void> {
    if (this.#closed) return Promise.reject(storeClosingError());
    const current = this.#builds.get(n);
    if (current !== undefined) return current.done.promise;
    const build: QueuedBuild = { n, urgent, done: Promise.withResolvers<void>() };
    // Nobody has to handle the rejection: `onFailed` is called for every error.
    build.done.promise.catch(() => undefined);
    this.#builds.set(n, build);
    if (!this.#isDraining) this.#work = this.#drain();
    return build.done.promise;
  }

  async cancel(n: number): Promise<void> {
    const build = this.#builds.get(n);
    if (build === undefined) return;
    this.#builds.delete(n);
    // An error of the current step does not matter any more.
    if (this.#current?.n === n) await this.#current.step.catch(() => undefined);
    await this.#steps.discard(n);
    build.done.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    for (let next = this.#next(); next !== undefined && !this.#closed; next = this.#next()) {
      await this.#advance(next);
      await yieldToEventLoop();
    }
    this.#isDraining = false;
    this.#steps.onIdle?.();
    if (!this.#closed) return;
    for (const { done } of this.#builds.values()) done.reject(storeClosingError());
    this.#builds.clear();
  }

  #next(): QueuedBuild | undefined {
    const builds = [...this.#builds.values()];
    return builds.find(({ urgent }) => urgent) ?? builds[0];
  }

  async #advance(build: QueuedBuild): Promise<void> {
    const { n, done } = build;
    const isCancelled = () => this.#builds.get(n) !== build;
    try {
      const step = this.#steps.step(n);
      this.#current = { n, step };
      if ((await step) === 'more' || isCancelled()) return;
      this.#builds.delete(n);
      done.resolve();
    } catch (error) {
      if (isCancelled()) return;
      await this.#fail(build, error);
    } finally {
      this.#current = undefined;
    }
  }

  /** The build stays in the queue until its results are deleted, so that the next build of the index starts over. */
  async #fail({ n, done }: QueuedBuild, error: unknown): Promise<void> {
    await this.#steps.discard(n);
    await this.#steps.onFailed(n, error);
    this.#builds.delete(n);
    done.reject(error);
  }
}

const storeClosingError = () => new StoreError('unavailable', { cause: 'the store is closing' });

export function createBuildQueue(steps: BuildSteps): BuildQueue {
  return new SerialBuildQueue(steps);
}

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
  /** Where several processes build the indexes of one file: one of them at a time. */
  readonly turn?: BuildTurn | undefined;
  /** Called if temporary tables cannot be deleted. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds until a build of another process is looked at again. */
const OTHER_BUILD_MS = 50;

export const BUILD_LIMITS: BuildLimits = { sliceMs: 15, smallText: 256 * 1024, smallSliceMs: 5 };

/** Whether the collection of the index is small enough for the main thread. */
export function isSmall(writer: WriteContext, n: number, { smallText }: BuildLimits): boolean {
  writer.catalogue.refresh();
  const found = findIndex(writer, n);
  return found !== undefined && found.entry.bytes <= smallText;
}

export function createBuildSteps(deps: BuildStepsDeps): Pick<BuildSteps, 'step' | 'discard' | 'onIdle'> {
  const { writer, threads, queue, checkpointer, limits, turn, onError } = deps;
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

  /** Another process builds, perhaps this index. */
  const awaitOther = async (n: number) => {
    writer.catalogue.refresh();
    const index = findIndex(writer, n)?.index;
    if (index === undefined || index.ready) return 'done';
    await setTimeout(OTHER_BUILD_MS);
    return 'more';
  };

  return {
    async step(n) {
      if (turn?.take() === false) return awaitOther(n);
      if (!onThread.has(n)) {
        if (isSmall(writer, n, limits)) return stepOnMain(n);
        onThread.set(n, 'gather');
      }
      const state = await stepOnThread(n);
      if (state === 'done') await discard(n);
      return state;
    },
    discard,
    onIdle: () => turn?.release(),
  };
}
