// A pool of worker threads that start with the first task and end when they are idle. The only place that starts threads: where the
// system has none left, the tasks that would need one are rejected, and the server goes on.
import { extname } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { StartError } from '../../errors/start-error.ts';
import type { ThreadAnswer, ThreadTask } from './thread-messages.ts';

export interface ThreadPoolOptions {
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
  readonly settled: () => void;
}

interface Thread {
  readonly worker: Worker;
  /** Set once it has loaded: an error before that is one of its start. */
  isReady: boolean;
  job: Job | undefined;
  idle: NodeJS.Timeout | undefined;
}

const ENTRY = new URL(`./thread-entry${extname(import.meta.url)}`, import.meta.url);
const WHAT = 'a worker thread';

function errorOf({ kind, error, code }: Extract<ThreadAnswer, { readonly error: unknown }>): unknown {
  const cause = error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error;
  return kind === 'unloaded' ? new StartError(WHAT, cause) : cause;
}

/** Runs tasks on threads. Calls begin in their order. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #lastId = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Tasks that wait for others to end: those that only wait for a thread to start are not counted. */
  waiting(): number {
    const busy = [...this.#threads].filter(({ job }) => job !== undefined).length;
    return Math.max(0, this.#waiting.length - (this.#options.maxThreads - busy));
  }

  /**
   * Resolves with what the function returns. Rejects with what it throws; with a StartError when there is no thread for it and
   * none can be started; with the reason of the signal; with an Error when too many wait, the thread dies, or the pool is closed.
   */
  async run(task: unknown, { module, name, signal }: ThreadCall): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('the threads have ended');
    const { maxQueue = Number.POSITIVE_INFINITY } = this.#options;
    const outcome = Promise.withResolvers<unknown>();
    const onAbort = () => this.#abort(job, signal?.reason);
    this.#lastId += 1;
    const job: Job = {
      message: { id: this.#lastId, module, name, task },
      outcome,
      settled: () => signal?.removeEventListener('abort', onAbort),
    };
    this.#waiting.push(job);
    if (this.waiting() > maxQueue) {
      this.#waiting.pop();
      throw new Error('too many tasks wait for a thread');
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#dispatch();
    return outcome.promise;
  }

  /** Waits for the tasks that run or wait, at most so many milliseconds, then ends all threads. */
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
    for (const job of this.#waiting.splice(0)) this.#reject(job, ended);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, ended)));
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && [...this.#threads].every(({ job }) => job === undefined);
  }

  #reject({ outcome, settled }: Job, error: unknown): void {
    settled();
    outcome.reject(error);
  }

  #abort(job: Job, reason: unknown): void {
    const at = this.#waiting.indexOf(job);
    if (at !== -1) {
      this.#waiting.splice(at, 1);
      this.#reject(job, reason);
    }
    for (const thread of this.#threads) if (thread.job === job) void this.#end(thread, reason);
    this.#dispatch();
  }

  /** Gives waiting tasks to threads, and starts as many as are needed and allowed. */
  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.job === undefined && thread.isReady) this.#give(thread);
    }
    // A thread that starts takes a task when it is ready.
    const coming = [...this.#threads].filter(({ isReady }) => !isReady).length;
    const missing = Math.min(this.#waiting.length - coming, this.#options.maxThreads - this.#threads.size);
    for (let count = 0; count < missing; count += 1) if (!this.#start()) break;
    if (this.#isIdle()) this.#onIdle?.();
  }

  #give(thread: Thread): void {
    clearTimeout(thread.idle);
    const job = this.#waiting.shift();
    if (job === undefined) {
      thread.worker.unref();
      thread.idle = setTimeout(() => void this.#end(thread), this.#options.idleMs);
      thread.idle.unref();
      return;
    }
    try {
      thread.worker.postMessage(job.message);
    } catch (error) {
      // The task cannot be copied.
      this.#reject(job, error);
      this.#give(thread);
      return;
    }
    thread.job = job;
    thread.worker.ref();
  }

  /** False when the system has no thread left. */
  #start(): boolean {
    const { resourceLimits = {}, data } = this.#options;
    let worker: Worker;
    try {
      worker = new Worker(ENTRY, { execArgv: [], resourceLimits, workerData: data });
    } catch (error) {
      this.#giveUp(new StartError(WHAT, error));
      return false;
    }
    const thread: Thread = { worker, isReady: false, job: undefined, idle: undefined };
    this.#threads.add(thread);
    worker.on('error', (error) => this.#fail(thread, error));
    worker.on('messageerror', (error) => this.#fail(thread, error));
    worker.on('exit', (code) => this.#fail(thread, new Error(`the thread ended with ${code}`)));
    worker.on('message', (answer: ThreadAnswer) => this.#receive(thread, answer));
    return true;
  }

  #receive(thread: Thread, answer: ThreadAnswer): void {
    if (!this.#threads.has(thread)) return;
    if (answer.kind === 'ready') thread.isReady = true;
    const { job } = thread;
    if (answer.kind !== 'ready' && job?.message.id === answer.id) {
      thread.job = undefined;
      job.settled();
      if (answer.kind === 'value') job.outcome.resolve(answer.value);
      else job.outcome.reject(errorOf(answer));
    }
    // A module that could not be loaded stays so for the life of the thread.
    if (answer.kind === 'unloaded') void this.#end(thread);
    this.#dispatch();
  }

  /** It has died, or never lived. */
  #fail(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return;
    const { isReady } = thread;
    void this.#end(thread, error);
    if (isReady) this.#dispatch();
    else this.#giveUp(new StartError(WHAT, error));
  }

  /** No thread can be started: whoever waits for one that lives goes on waiting, the others are told. */
  #giveUp(error: StartError): void {
    if ([...this.#threads].some(({ isReady }) => isReady)) return;
    const coming = this.#threads.size;
    for (const job of this.#waiting.splice(coming)) this.#reject(job, error);
    if (this.#isIdle()) this.#onIdle?.();
  }

  async #end(thread: Thread, reason: unknown = new Error('the thread has ended')): Promise<void> {
    this.#threads.delete(thread);
    clearTimeout(thread.idle);
    const { job } = thread;
    thread.job = undefined;
    if (job !== undefined) this.#reject(job, reason);
    await thread.worker.terminate();
  }
}
