// A pool of worker threads that start with the first task and end when they are idle. The only place that starts threads: where the
// system has none left, the tasks that would need one are rejected, and the server goes on. Each thread is a pool of Piscina with
// one thread: with more it would start some by itself, where nobody can catch that the system has none.
import { extname } from 'node:path';
import type { ResourceLimits } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { StartError } from '../../errors/start-error.ts';
import { onceAborted } from '../async/ownership.ts';
import { lazyPackage } from '../files/lazy-package.ts';
import { EndingThreads, type EndingThreadsOptions } from './ending-threads.ts';
import type { ThreadAnswer, ThreadTask } from './thread-messages.ts';

export interface ThreadPoolOptions extends Omit<EndingThreadsOptions, 'onChange'> {
  readonly maxThreads: number;
  /** How many tasks may wait; any number by default. */
  readonly maxQueue?: number;
  /** Milliseconds after which an idle thread ends. */
  readonly idleMs: number;
  /** Of each thread; V8's own by default. */
  readonly resourceLimits?: ResourceLimits;
  /** `workerData` of each thread. */
  readonly data?: unknown;
}

export interface ThreadCall {
  /** Address of the module that has the task. */
  readonly module: string;
  /** Name of the function that the module exports. */
  readonly name: string;
  /** Takes the task out of the queue, or ends the thread that runs it; the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly message: ThreadTask;
  readonly outcome: PromiseWithResolvers<unknown>;
}

interface Thread {
  readonly piscina: Piscina;
  /** Whether it runs, which it does not before its first task and after a time without one. */
  isReady: boolean;
  job: Job | undefined;
}

const piscina = lazyPackage<typeof import('piscina')>('piscina');
const ENTRY = new URL(`./thread-entry${extname(import.meta.url)}`, import.meta.url).href;
const WHAT = 'a worker thread';

function errorOf({ kind, error, code }: Extract<ThreadAnswer, { readonly error: unknown }>): unknown {
  const cause = error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error;
  return kind === 'unloaded' ? new StartError(WHAT, cause) : cause;
}

/** Runs tasks on threads. Calls begin in their order. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #ending: EndingThreads;
  readonly #waiting: Job[] = [];
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#ending = new EndingThreads({ ...options, onChange: () => this.#dispatch() });
  }

  /** Threads that were told to end, have not, and are given up: the pool has others instead, a few at most. */
  lost(): number {
    return this.#ending.lost();
  }

  /** Tasks that wait for others to end. */
  waiting(): number {
    return this.#waiting.length;
  }

  /** Milliseconds of processor time that the threads have used which live now. Rejects while one of them ends. */
  async cpuMs(): Promise<number> {
    const workers = [...this.#threads].flatMap(({ piscina }) => piscina.threads);
    const usages = await Promise.all(workers.map((worker) => worker.cpuUsage()));
    return usages.reduce((sum, { user, system }) => sum + (user + system) / 1000, 0);
  }

  /**
   * Resolves with what the function returns. Rejects with what it throws; with a StartError when there is no thread for it and
   * none can be started; with the reason of the signal; with an Error when too many wait, the thread dies, or the pool is closed.
   */
  async run(task: unknown, { module, name, signal }: ThreadCall): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('the threads have ended');
    const job: Job = { message: { module, name, task }, outcome: Promise.withResolvers() };
    this.#waiting.push(job);
    this.#dispatch();
    const { maxQueue = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#waiting.length > maxQueue && this.#remove(job)) {
      throw new Error('too many tasks wait for a thread');
    }
    const forget = onceAborted(signal, () => this.#abort(job, signal?.reason));
    return job.outcome.promise.finally(forget);
  }

  /** Waits for the tasks that run or wait, at most so many milliseconds, then ends all threads, but for those that are lost. */
  async close(timeoutMs = 0): Promise<void> {
    this.#isClosed = true;
    if (timeoutMs > 0 && !this.#isIdle()) {
      const over = Promise.withResolvers<void>();
      this.#onIdle = over.resolve;
      const timer = setTimeout(over.resolve, timeoutMs);
      timer.unref();
      await over.promise;
      clearTimeout(timer);
    }
    const ended = new Error('the threads have ended');
    for (const job of this.#waiting.splice(0)) job.outcome.reject(ended);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, ended)));
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && [...this.#threads].every(({ job }) => job === undefined);
  }

  #remove(job: Job): boolean {
    const at = this.#waiting.indexOf(job);
    if (at !== -1) this.#waiting.splice(at, 1);
    return at !== -1;
  }

  #abort(job: Job, reason: unknown): void {
    if (this.#remove(job)) job.outcome.reject(reason);
    for (const thread of this.#threads) if (thread.job === job) void this.#end(thread, reason);
    this.#dispatch();
  }

  /** Gives waiting tasks to threads that are free, to those that run first. */
  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const free = [...this.#threads].filter(({ job }) => job === undefined);
      const thread = free.find(({ isReady }) => isReady) ?? free[0] ?? this.#add();
      const job = thread && this.#waiting.shift();
      if (thread === undefined || job === undefined) break;
      void this.#give(thread, job);
    }
    this.#rejectHopeless();
    if (this.#isIdle()) this.#onIdle?.();
  }

  /** Nobody waits for threads that are lost: where none is left and no other may be started, there is none. */
  #rejectHopeless(): void {
    if (this.#threads.size > 0 || !this.#ending.isStuck()) return;
    const cause = new Error('too many threads have not ended');
    for (const job of this.#waiting.splice(0)) job.outcome.reject(new StartError(WHAT, cause));
  }

  /** A place for one thread, which starts with its first task. */
  #add(): Thread | undefined {
    const { maxThreads, idleMs, resourceLimits = {}, data } = this.#options;
    if (this.#threads.size >= maxThreads || this.#ending.isFull()) return undefined;
    const { Piscina } = piscina();
    const single = new Piscina({
      filename: ENTRY,
      name: 'perform',
      workerData: data,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      execArgv: [],
      resourceLimits,
    });
    const thread: Thread = { piscina: single, isReady: false, job: undefined };
    single.on('workerCreate', () => {
      thread.isReady = true;
    });
    single.on('workerDestroy', () => {
      // With a task, whether it ran decides what its end means.
      if (thread.job === undefined) thread.isReady = false;
    });
    // Of a thread without a task: it died while it was idle, or was never born.
    single.on('error', (error: unknown) => this.#fail(thread, error));
    this.#threads.add(thread);
    return thread;
  }

  async #give(thread: Thread, job: Job): Promise<void> {
    thread.job = job;
    let answer: ThreadAnswer;
    try {
      answer = await thread.piscina.run(job.message);
    } catch (error) {
      this.#fail(thread, error);
      return;
    }
    if (thread.job !== job) return;
    thread.job = undefined;
    if (answer.kind === 'value') job.outcome.resolve(answer.value);
    else job.outcome.reject(errorOf(answer));
    // A module that could not be loaded stays so for the life of the thread.
    if (answer.kind === 'unloaded') void this.#end(thread);
    this.#dispatch();
  }

  /** The thread has died, was never born, or cannot be given its task. */
  #fail(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return;
    const { job, isReady } = thread;
    thread.job = undefined;
    void this.#end(thread);
    if (isReady || job === undefined) {
      job?.outcome.reject(error);
      this.#dispatch();
      return;
    }
    // Where others run, the task waits for one of them; no start is tried again for it.
    const isAlone = ![...this.#threads].some((other) => other.isReady);
    if (isAlone) job.outcome.reject(new StartError(WHAT, error));
    else this.#waiting.unshift(job);
    if (this.#isIdle()) this.#onIdle?.();
  }

  async #end(thread: Thread, reason?: unknown): Promise<void> {
    this.#threads.delete(thread);
    const { job } = thread;
    thread.job = undefined;
    job?.outcome.reject(reason);
    await this.#ending.add(thread.piscina.destroy());
  }
}
