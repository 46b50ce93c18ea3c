// Hashes passwords of posted code with bcrypt, on one thread: however many modules ask, they take one core and no more.
import { extname } from 'node:path';
import { AppError } from '../errors/errors.ts';
import { Permits } from '../lib/async/permits.ts';
import type { BcryptTask } from './bcrypt-task.ts';
import { createWorkerPool } from './worker-pool.ts';

/** Tasks that wait for the thread. */
const MAX_QUEUE = 64;
/** Milliseconds that each may wait. */
const MAX_WAIT_MS = 10_000;
/** Milliseconds after which the thread is ended: several times what the most rounds take. */
const TIMEOUT_MS = 20_000;
const HEAP_MB = 32;

const TASK = new URL(`./bcrypt-task${extname(import.meta.url)}`, import.meta.url);

const busy = () => new AppError('ENDPOINT_BUSY', { message: 'Too many passwords wait to be hashed' });

interface PasswordHasherOptions {
  readonly maxQueue?: number;
  readonly timeoutMs?: number;
}

/** Creates the hasher, whose thread starts with the first call. */
export function createPasswordHasher({
  maxQueue = MAX_QUEUE,
  timeoutMs = TIMEOUT_MS,
}: PasswordHasherOptions = {}) {
  const pool = createWorkerPool({ maxThreads: 1, heapMb: HEAP_MB });
  const permits = new Permits({
    permits: 1,
    maxWaiting: maxQueue,
    maxWaitMs: MAX_WAIT_MS,
    createError: busy,
  });

  /** `signal` takes a task out of the queue. One that has begun ends by itself: a new thread would cost more than its rest. */
  const run = async (task: BcryptTask, signal: AbortSignal): Promise<unknown> => {
    await permits.acquire(1, signal);
    const late = AbortSignal.timeout(timeoutMs);
    try {
      return await pool.run(task, { module: TASK.href, name: 'bcryptTask', signal: late });
    } catch (error) {
      throw late.aborted ? busy() : error;
    } finally {
      permits.release();
    }
  };

  return {
    hash: async (text: string, salt: number | string, signal: AbortSignal) =>
      String(await run({ kind: 'hash', text, salt }, signal)),
    compare: async (text: string, hash: string, signal: AbortSignal) =>
      (await run({ kind: 'compare', text, hash }, signal)) === true,
    salt: async (rounds: number, signal: AbortSignal) => String(await run({ kind: 'salt', rounds }, signal)),
    close: () => pool.close(),
  };
}
