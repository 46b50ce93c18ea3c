// Keeps the worker processes of a server running: starts the first, then the others, replaces those that end, and ends them all.
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../lib/logger.ts';
import { MetricsRelay } from './metrics-relay.ts';
import type { MessageFromWorker, MessageToWorker, WorkerOrder } from './worker-messages.ts';

/** `code` is null where a signal has ended it. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RunningWorker {
  /** Calls the listener with each message. None is missed where it is set as soon as the worker has started. */
  hear(listener: (message: MessageFromWorker) => void): void;
  /** Never throws: a worker that ends hears nothing any more. */
  send(message: MessageToWorker): void;
  kill(): void;
  readonly ended: Promise<WorkerEnd>;
}

interface WorkerSupervisorOptions {
  readonly count: number;
  /** Starts a process. Rejects with a StartError where the system has no room for it. */
  readonly fork: () => Promise<RunningWorker>;
  readonly order: Pick<WorkerOrder, 'loaded' | 'only'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Default: real time. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

/** A worker that has lived for so many milliseconds is replaced at once. */
const STABLE_MS = 10_000;
/** Milliseconds until one that has ended sooner is replaced: doubled from the minimum to the maximum. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** Keeps the process alive, which has nothing else to do while no worker runs. */
const pauseOnClock = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);

export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  readonly #running = new Map<number, RunningWorker>();
  readonly #metrics = new MetricsRelay();
  readonly #listening = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  #hasListened = false;
  /** Until one worker has started, an end with an error is that of the server. */
  #hasStarted = false;
  #code = 0;

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
  }

  /** Resolves with the exit code once all workers have ended: after `stop`, or because the first start has failed. */
  async run(): Promise<number> {
    const first = this.#keep(1);
    // The first one makes what is made once, and finds what is wrong with the configuration.
    await Promise.race([this.#listening.promise, first]);
    const others = Array.from({ length: this.#options.count - 1 }, (_, at) => this.#keep(at + 2));
    await Promise.all([first, ...others]);
    return this.#code;
  }

  /** Asks all workers to end, and starts no other one. */
  stop(signal: string): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    for (const worker of this.#running.values()) worker.send({ kind: 'stop', signal });
  }

  /** Ends what still runs. */
  kill(): void {
    this.#stopping.abort();
    for (const worker of this.#running.values()) worker.kill();
  }

  /** Runs the worker of this number again and again, until `stop`. */
  async #keep(number: number): Promise<void> {
    const { log, pause = pauseOnClock, clock } = this.#options;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const since = clock();
      const end = await this.#runOnce(number);
      if (signal.aborted || this.#isFatal(end)) {
        if (this.#code === 0) this.#code = end?.code ?? 0;
        this.stop('');
        return;
      }
      const lived = clock() - since;
      failures = lived >= STABLE_MS ? 0 : failures + 1;
      const pauseMs = failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1));
      if (end !== undefined)
        log.warn({ worker: number, ...end, pauseMs }, 'a worker has ended: it is replaced');
      await pause(pauseMs, signal);
    }
  }

  #isFatal(end: WorkerEnd | undefined): boolean {
    return !this.#hasStarted && end !== undefined && end.code !== null && end.code !== 0;
  }

  /** Resolves when the worker has ended; with undefined where none could be started. */
  async #runOnce(number: number): Promise<WorkerEnd | undefined> {
    const { fork, log } = this.#options;
    let worker: RunningWorker;
    try {
      worker = await fork();
    } catch (error) {
      log.error({ err: error, worker: number }, 'a worker could not be started');
      return undefined;
    }
    this.#running.set(number, worker);
    worker.hear((message) => this.#take(number, worker, message));
    const end = await worker.ended;
    this.#running.delete(number);
    this.#metrics.forget(number);
    return end;
  }

  #take(number: number, worker: RunningWorker, message: MessageFromWorker): void {
    if (message.kind === 'gather') this.#metrics.ask([number, worker], message, this.#running);
    else if (message.kind === 'metrics') this.#metrics.take(number, message);
    else if (message.kind === 'hello') this.#order(number, worker);
    else {
      this.#hasListened = true;
      this.#listening.resolve();
      if (message.kind === 'started') this.#hasStarted = true;
    }
  }

  #order(number: number, worker: RunningWorker): void {
    // One that has done nothing yet need not be asked.
    if (this.#stopping.signal.aborted) worker.kill();
    else worker.send({ kind: 'start', number, isFirst: !this.#hasListened, ...this.#options.order });
  }
}
