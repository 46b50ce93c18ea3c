// Reads the body of a request chunk by chunk, as it arrives: nothing is copied or joined, and the client is stopped while as many
// bytes wait as are allowed to.
import type { IncomingMessage } from 'node:http';
import { isClosed, onceClosed } from '../../lib/streams/ownership.ts';

/** Bytes that wait for their reader. */
const MAX_WAITING = 131_072;

export class BodyReader {
  readonly #source: IncomingMessage;
  readonly #cutOff: (cause?: unknown) => Error;
  readonly #chunks: Buffer[] = [];
  #waiting = 0;
  #hasEnded = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MAX_WAITING) this.#source.pause();
    this.#wake?.();
  };
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    this.#wake?.();
  };
  readonly #onError = (error: unknown): void => this.stop(this.#cutOff(error));

  /** Begins to read. `cutOff` makes the error for a body that breaks off. */
  constructor(source: IncomingMessage, cutOff: (cause?: unknown) => Error) {
    this.#source = source;
    this.#cutOff = cutOff;
    source.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    if (source.readableEnded) this.#hasEnded = true;
    else if (isClosed(source)) this.stop(cutOff());
    else {
      onceClosed(source, () => {
        if (!source.readableEnded) this.stop(cutOff());
      });
    }
  }

  /** The next bytes, undefined at the end of the body. Rejects with the error of `stop`, or with that of a broken connection. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#waiting -= chunk.length;
        if (this.#waiting === 0 && this.#source.isPaused()) this.#source.resume();
        return chunk;
      }
      if (this.#hasEnded) return undefined;
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      await woken.promise;
      this.#wake = undefined;
    }
  }

  /** Fails this and every later `next`; the first error counts. */
  stop(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** Ends reading, and leaves the rest of the body where it is. */
  release(): void {
    this.#source.off('data', this.#onData).off('end', this.#onEnd).pause();
    this.#chunks.length = 0;
  }
}
