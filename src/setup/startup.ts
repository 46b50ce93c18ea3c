// Runs the steps of a start that need the database: before the server listens, or again and again in the background while the
// database is unavailable.
import { errorCodeOf, isStoreUnavailable, StoreError } from '../errors/errors.ts';
import { type Pause, pause as pauseOnClock } from '../lib/async/retry.ts';
import { settleWithin, withTimeout } from '../lib/async/timeout.ts';
import type { Log } from '../lib/logger.ts';
import type { DocumentStore } from '../stores/ports.ts';

/** Milliseconds that a start waits for the first answer of the database. */
const FIRST_ANSWER_TIMEOUT_MS = 1000;
/** Milliseconds that it waits for all steps: an index may take hours, and a server that hangs never answers. */
const TIMEOUT_MS = 10_000;
/** Milliseconds between two attempts: doubled from the minimum to the maximum. */
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 2000;
/** Attempts of a step that fails because of the data, such as duplicates, until the start is given up. */
const MAX_DATA_ERRORS = 15;

export type StartupStep = () => Promise<void>;

interface StartupOptions {
  readonly store: Pick<DocumentStore, 'health'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly pause?: Pause | undefined;
  /** Limit of the wait for the first answer, in milliseconds. */
  readonly firstAnswerTimeoutMs?: number;
  /** Limit of `start`, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface Startup {
  /**
   * Runs the steps in this order, each until it has succeeded once; a step that failed may run again from its beginning.
   * Resolves when the server may listen: all steps are done, or the database is unavailable or slow and the rest goes on in
   * the background. Rejects with any error of a step that is not a temporary one of the store. Call it once.
   */
  start(steps: readonly StartupStep[]): Promise<void>;
  /** Resolves when all steps are done, however late; rejects as `start` does. Stays pending when `close` comes first. */
  readonly done: Promise<void>;
  isDone(): boolean;
  /** Starts no further attempt and waits for the running one. */
  close(): Promise<void>;
}

/** Errors of the store that may be gone at the next attempt: all but a data folder that another process has open. */
function isTemporary(error: unknown): error is StoreError {
  return error instanceof StoreError && error.reason !== 'in-use';
}

function describeError(error: StoreError): string {
  const { reason, cause } = error;
  if (isStoreUnavailable(error) && reason !== 'failed' && reason !== 'damaged') {
    return 'database unavailable, startup continues when it is back';
  }
  const code = errorCodeOf(cause);
  const detail = code === undefined ? reason : `${reason}, code ${code}`;
  const retries = isStoreUnavailable(error) ? 'until it succeeds' : 'a few times';
  return `database error in a startup step (${detail}), retrying ${retries}`;
}

/** The steps that are left, and whether one of them may be retried after an error. */
function createPendingSteps(signal: AbortSignal) {
  let remaining: readonly StartupStep[] = [];
  const dataErrors = new Map<StartupStep, number>();

  const mayRetry = (step: StartupStep, error: unknown): error is StoreError => {
    if (isStoreUnavailable(error) || !isTemporary(error)) return isTemporary(error);
    const count = (dataErrors.get(step) ?? 0) + 1;
    dataErrors.set(step, count);
    return count < MAX_DATA_ERRORS;
  };

  return {
    add(steps: readonly StartupStep[]) {
      remaining = steps;
    },
    isEmpty: () => remaining.length === 0,
    /** Runs each step once. Returns the first error after which a step is to be retried. */
    async run(): Promise<StoreError | undefined> {
      let firstError: StoreError | undefined;
      const failed: StartupStep[] = [];
      for (const step of remaining) {
        try {
          if (signal.aborted) failed.push(step);
          else await step();
        } catch (error) {
          if (!mayRetry(step, error)) throw error;
          firstError ??= error;
          failed.push(step);
        }
      }
      remaining = failed;
      return firstError;
    },
  };
}

/** Creates the startup. Nothing runs before `start`. */
export function createStartup(options: StartupOptions): Startup {
  const { store, log, pause = pauseOnClock } = options;
  const { firstAnswerTimeoutMs = FIRST_ANSWER_TIMEOUT_MS, timeoutMs = TIMEOUT_MS } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const steps = createPendingSteps(signal);
  const done = Promise.withResolvers<void>();
  // A rejection that nobody awaits must not end the process.
  done.promise.catch(() => undefined);
  let isDone = false;
  let background: Promise<void> = Promise.resolve();
  const logged = new Set<string>();

  /** Logs each message once. */
  const logError = (error: StoreError): void => {
    const message = describeError(error);
    if (logged.has(message)) return;
    logged.add(message);
    log.warn({ err: error }, message);
  };

  /** Runs the steps once `health` resolves. Returns the error after which another attempt is needed. */
  const attempt = async (health: () => Promise<void>): Promise<StoreError | undefined> => {
    try {
      await health();
    } catch (error) {
      if (isTemporary(error)) return error;
      throw error;
    }
    const error = await steps.run();
    isDone = steps.isEmpty();
    return error;
  };

  const retryUntilDone = async (): Promise<void> => {
    for (let wait = MIN_RETRY_MS; !isDone; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      await pause(wait, signal);
      if (signal.aborted) return;
      const error = await attempt(() => store.health());
      if (error !== undefined) logError(error);
    }
    log.info({}, 'database connected, startup complete');
    done.resolve();
  };

  const firstHealth = () =>
    withTimeout(store.health(), firstAnswerTimeoutMs, () => new StoreError('timeout'));

  return {
    done: done.promise,
    isDone: () => isDone,
    async start(all) {
      steps.add(all);
      const first = attempt(firstHealth);
      const result = await settleWithin(first, timeoutMs);
      if (result === undefined) {
        log.warn({}, 'startup is slow, listening now and answering 503 until it is complete');
      } else {
        if (result.value === undefined) return done.resolve();
        logError(result.value);
      }
      background = first.then(retryUntilDone).catch(done.reject);
    },
    async close() {
      closing.abort();
      await background;
    },
  };
}
