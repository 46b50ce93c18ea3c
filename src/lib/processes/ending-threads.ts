// Threads that were told to end. Some do not for a long time, such as one in a native call, or one of whose full heap V8 runs on: they
// are lost, take memory and perhaps a processor, and nobody waits for them.

/** Threads of one pool that may be told to end and have not, before no other is started. */
export const MAX_ENDING = 4;
const END_MS = 5_000;

export interface EndingThreadsOptions {
  /** Milliseconds after which a thread is lost that has not ended. */
  readonly endMs?: number;
  /** Called once for each thread that is lost, with the number of those that are now. */
  readonly onLost?: (count: number) => void;
  /** Called when another may be started again, and when none may be for as long as anybody would wait. */
  readonly onChange: () => void;
}

/** Node prints it, or what listens for the warnings of the process. */
function warn(count: number): void {
  const message = `A worker thread has not ended in time and is given up (${count} now); only a restart is sure to end it`;
  process.emitWarning(message, { code: 'CLOISTER_LOST_THREAD' });
}

/** The threads of one pool that are to end. */
export class EndingThreads {
  readonly #options: EndingThreadsOptions;
  #ending = 0;
  #lost = 0;

  constructor(options: EndingThreadsOptions) {
    this.#options = options;
  }

  /** Whether so many have not ended that no other may be started. */
  isFull(): boolean {
    return this.#ending >= MAX_ENDING;
  }

  /** Whether so many are lost that no other may be started, for as long as they go on. */
  isStuck(): boolean {
    return this.#lost >= MAX_ENDING;
  }

  /** Threads that have not ended in time, and still have not. */
  lost(): number {
    return this.#lost;
  }

  /** Waits for a thread, but not for one that is lost. `ended` resolves when it has ended. */
  async add(ended: Promise<unknown>): Promise<void> {
    const { endMs = END_MS, onLost = warn, onChange } = this.#options;
    const given = Promise.withResolvers<void>();
    let isLost = false;
    this.#ending += 1;
    const timer = setTimeout(() => {
      isLost = true;
      this.#lost += 1;
      onLost(this.#lost);
      given.resolve();
      if (this.isStuck()) onChange();
    }, endMs);
    const settle = () => {
      clearTimeout(timer);
      const wasFull = this.isFull();
      this.#ending -= 1;
      if (isLost) this.#lost -= 1;
      given.resolve();
      if (wasFull) onChange();
    };
    ended.then(settle, settle);
    await given.promise;
  }
}
