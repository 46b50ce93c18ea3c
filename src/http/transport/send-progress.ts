// How fast a client takes what is sent to it: the time without a byte, and the least in a while. Who takes a little now and then
// would hold a long answer in memory for hours.
import type { Socket } from 'node:net';

export interface SendProgressOptions {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Milliseconds over which the rate is measured. */
  readonly windowMs: number;
  /** Bytes that a client has to take in each window in which something waits for it all the time. */
  readonly leastBytes: number;
}

/** When a position was seen first. */
interface Mark {
  readonly at: number;
  readonly position: number;
}

export class SendProgress {
  readonly #socket: Pick<Socket, 'bytesWritten' | 'writableLength'>;
  readonly #options: SendProgressOptions;
  #last: Mark;
  #window: Mark;

  constructor(socket: Pick<Socket, 'bytesWritten' | 'writableLength'>, options: SendProgressOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#last = { at: options.now(), position: 0 };
    this.#window = this.#last;
  }

  /** Milliseconds for which the client has taken nothing of what waits for it. */
  stalledMs(): number {
    const mark = this.#mark();
    if (mark === undefined || mark.position !== this.#last.position) this.#last = mark ?? this.#here(0);
    return this.#options.now() - this.#last.at;
  }

  /** Whether a window has ended in which the client took too little. To be asked several times in each. */
  isTooSlow(): boolean {
    const mark = this.#mark();
    // Who has taken everything waits for the server, not the other way round.
    if (mark === undefined) this.#window = this.#here(this.#socket.bytesWritten);
    if (mark === undefined || mark.at - this.#window.at < this.#options.windowMs) return false;
    const taken = mark.position - this.#window.position;
    this.#window = mark;
    return taken < this.#options.leastBytes;
  }

  /** Where the client is; undefined while nothing waits for it. */
  #mark(): Mark | undefined {
    const { bytesWritten, writableLength } = this.#socket;
    return writableLength === 0 ? undefined : this.#here(bytesWritten - writableLength);
  }

  #here(position: number): Mark {
    return { at: this.#options.now(), position };
  }
}
