// What a failed start of a process or a thread is rejected with, and which errors of the system mean that it has nothing left.

const EXHAUSTED: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'ERR_WORKER_INIT_FAILED',
]);

/** What Node says where a package could not be looked at; the code is that of a malformed one. */
const EXHAUSTED_TEXT = /: too many open files\b/;

/** A process or a thread that could not be started. The `cause` is the error of the system. */
export class StartError extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what} could not be started`, { cause });
    this.name = 'StartError';
  }
}

const MAX_CAUSES = 5;

/**
 * True for an error, or one that it was caused by, which says that the system has no descriptors, processes, threads or memory
 * left: nothing is wrong with what was asked, and it may work in a moment.
 */
export function isOutOfResources(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ('code' in current && EXHAUSTED.has(current.code)) return true;
    if (EXHAUSTED_TEXT.test(current.message)) return true;
    current = current.cause;
  }
  return false;
}
