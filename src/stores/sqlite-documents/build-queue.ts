// Queue of index builds. One step of one build runs at a time.
import { StoreError } from '../../errors/errors.ts';
import { yieldToEventLoop } from '../../lib/async/yielding.ts';

/** The steps of a build. `n` is the number of the index. */
export interface BuildSteps {
  /** Runs the next step. */
  step(n: number): Promise<'more' | 'done'>;
  /** Deletes the results of earlier steps, so that the next build starts over. Must not reject. */
  discard(n: number): Promise<void>;
  /** Called once for a failed build, after `discard` and before its promise rejects. Must not reject. */
  onFailed(n: number, error: unknown): Promise<void>;
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
