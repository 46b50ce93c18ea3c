// The index builds of a store: one object for each, in one queue. One step of one build runs at a time.
import { StoreError } from '../../errors.ts';
import { yieldToEventLoop } from '../../lib/async/yielding.ts';

/** What a build is made of. `n` is the number of the index. */
export interface BuildSteps {
  /** Does the next piece of work. */
  step(n: number): Promise<'more' | 'done'>;
  /** Forgets what the steps so far have gathered, so that the next build begins anew. Must not reject. */
  discard(n: number): Promise<void>;
  /** Hears of a build that failed, once, after `discard` and before whoever waits for it. Must not reject. */
  onFailed(n: number, error: unknown): Promise<void>;
}

export interface BuildQueue {
  /**
   * Builds the index, or joins the build of it that runs or waits. Resolves when it is ready or cancelled.
   * `urgent` builds go before the others, which pause after the step that runs.
   */
  run(n: number, urgent: boolean): Promise<void>;
  /** Ends the build of the index, if there is one. Resolves when no step of it runs. */
  cancel(n: number): Promise<void>;
  /** Ends every build with `unavailable` after the step that runs, and resolves then. */
  close(): Promise<void>;
}

interface QueuedBuild {
  readonly n: number;
  readonly urgent: boolean;
  readonly done: PromiseWithResolvers<void>;
}

class SerialBuildQueue implements BuildQueue {
  readonly #steps: BuildSteps;
  /** By number, in the order of arrival. A build that is not in it any more has ended or was cancelled. */
  readonly #builds = new Map<number, QueuedBuild>();
  #current: { readonly n: number; readonly step: Promise<unknown> } | undefined;
  #isWorking = false;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(steps: BuildSteps) {
    this.#steps = steps;
  }

  run(n: number, urgent: boolean): Promise<void> {
    if (this.#closed) return Promise.reject(storeClosingError());
    const known = this.#builds.get(n);
    if (known !== undefined) return known.done.promise;
    const build: QueuedBuild = { n, urgent, done: Promise.withResolvers<void>() };
    // Nobody has to wait for a build: `failed` hears of every failure.
    build.done.promise.catch(() => undefined);
    this.#builds.set(n, build);
    if (!this.#isWorking) this.#work = this.#workOff();
    return build.done.promise;
  }

  async cancel(n: number): Promise<void> {
    const build = this.#builds.get(n);
    if (build === undefined) return;
    this.#builds.delete(n);
    // A step that fails now fails on an index that nobody wants any more.
    if (this.#current?.n === n) await this.#current.step.catch(() => undefined);
    await this.#steps.discard(n);
    build.done.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  async #workOff(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#next(); next !== undefined && !this.#closed; next = this.#next()) {
      await this.#advance(next);
      await yieldToEventLoop();
    }
    this.#isWorking = false;
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

  /** The build stays in the queue until nothing of it is left, so that the next one of this index begins anew. */
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
