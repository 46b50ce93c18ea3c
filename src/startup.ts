// What of a start needs the database: made before the server listens, or behind it for as long as the database is away
// or fails.
import { isStoreUnavailable, StoreError } from './errors.ts';
import { type Pause, pause as pauseOnClock } from './lib/async/pause.ts';
import type { DocumentStore } from './stores/ports.ts';

/** How long a start waits for the first answer of the database, in milliseconds. */
const FIRST_ANSWER_MS = 1000;
/** How long it waits for all of its steps: an index may take hours, and a server that hangs takes for ever. */
const PATIENCE_MS = 10_000;
/** Milliseconds between two attempts: doubled from the first to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2000;
/** So often a step may be refused for what the database holds, such as duplicates, before the start is impossible. */
const MOST_REFUSALS = 15;

interface StartupOptions {
  /** Done in this order, each until it has succeeded once. One that failed may be run again from its beginning. */
  readonly steps: readonly (() => Promise<void>)[];
  readonly store: Pick<DocumentStore, 'health'>;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  readonly pause?: Pause | undefined;
  /** Bound of the wait for the first answer, in milliseconds. */
  readonly firstAnswerTimeoutMs?: number;
  /** Bound of `begin`, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface Startup {
  /**
   * Resolves when the server may listen: all is done, or the database is away, slow or fails and the rest goes on behind.
   * Rejects with whatever stops a step until then but an error of the store that may pass.
   */
  start(): Promise<void>;
  /** Resolves when all is done, however late; rejects as `begin` does. Stays pending when `close` comes first. */
  readonly done: Promise<void>;
  isDone(): boolean;
  /** Begins no further attempt and waits for the one in hand. */
  close(): Promise<void>;
}

async function answersWithin(store: Pick<DocumentStore, 'health'>, milliseconds: number): Promise<void> {
  const answered = new AbortController();
  const tooLate = pauseOnClock(milliseconds, answered.signal).then(() => {
    throw new StoreError('timeout');
  });
  tooLate.catch(() => undefined);
  await Promise.race([store.health(), tooLate]).finally(() => answered.abort());
}

async function settledWithin<T>(work: Promise<T>, milliseconds: number): Promise<{ value: T } | 'late'> {
  const settled = new AbortController();
  const late = pauseOnClock(milliseconds, settled.signal).then(() => 'late' as const);
  return Promise.race([work.then((value) => ({ value })), late]).finally(() => settled.abort());
}

/** What the store fails with may be over at the next attempt, but for data that somebody else has. */
function isPassing(error: unknown): error is StoreError {
  return error instanceof StoreError && error.reason !== 'in-use';
}

/** What the log says of a failure; of the same it says it once. */
function wordsOf(failure: StoreError): string {
  const { reason, cause } = failure;
  if (isStoreUnavailable(failure) && reason !== 'failed' && reason !== 'damaged') {
    return 'the database is away: the start is completed when it comes';
  }
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  const what = code === undefined ? reason : `${reason}, code ${code}`;
  const next = isStoreUnavailable(failure) ? 'until it succeeds' : 'a few times';
  return `the database fails at a step of the start (${what}): the step is repeated ${next}`;
}

/** Makes the start-up. Nothing is done before `begin`. */
export function createStartup(options: StartupOptions): Startup {
  const { store, log, pause = pauseOnClock } = options;
  const { firstAnswerTimeoutMs: firstAnswerMs = FIRST_ANSWER_MS, timeoutMs: patienceMs = PATIENCE_MS } =
    options;
  const closing = new AbortController();
  const { signal } = closing;
  const done = Promise.withResolvers<void>();
  // Whoever waits for nothing of this is not to be ended by it.
  done.promise.catch(() => undefined);
  let left = options.steps;
  let isDone = false;
  let behind: Promise<void> = Promise.resolve();
  const told = new Set<string>();
  const refusals = new Map<() => Promise<void>, number>();

  /** True for a step that may succeed at the next attempt. */
  const isWorthwhile = (step: () => Promise<void>, error: unknown): error is StoreError => {
    if (isStoreUnavailable(error) || !isPassing(error)) return isPassing(error);
    const count = (refusals.get(step) ?? 0) + 1;
    refusals.set(step, count);
    return count < MOST_REFUSALS;
  };

  const tell = (failure: StoreError): void => {
    const words = wordsOf(failure);
    if (told.has(words)) return;
    told.add(words);
    log.warn({ err: failure }, words);
  };

  /** Gives the failure that some step is still waiting to be over. */
  const attempt = async (answer: () => Promise<void>): Promise<StoreError | undefined> => {
    let failure: StoreError | undefined;
    const again: (() => Promise<void>)[] = [];
    try {
      await answer();
    } catch (error) {
      if (isPassing(error)) return error;
      throw error;
    }
    for (const step of left) {
      try {
        if (signal.aborted) again.push(step);
        else await step();
      } catch (error) {
        if (!isWorthwhile(step, error)) throw error;
        failure ??= error;
        again.push(step);
      }
    }
    left = again;
    isDone = left.length === 0;
    return failure;
  };

  const goOn = async (): Promise<void> => {
    for (let wait = FIRST_WAIT_MS; !isDone; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await pause(wait, signal);
      if (signal.aborted) return;
      const failure = await attempt(() => store.health());
      if (failure !== undefined) tell(failure);
    }
    log.info({}, 'the database has come: the start is complete');
    done.resolve();
  };

  return {
    done: done.promise,
    isDone: () => isDone,
    async start() {
      const first = attempt(() => answersWithin(store, firstAnswerMs));
      const outcome = await settledWithin(first, patienceMs);
      if (outcome === 'late') {
        log.warn({}, 'the start takes long: the server listens, and serves when it is complete');
      } else {
        if (outcome.value === undefined) return done.resolve();
        tell(outcome.value);
      }
      behind = first.then(goOn).catch(done.reject);
    },
    async close() {
      closing.abort();
      await behind;
    },
  };
}
