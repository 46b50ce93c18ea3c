// Holds a stream to the length that was announced for it: a part never looks like the whole, and what is too much never reaches a
// client, who would read it as the next response.
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { StoreError } from '../../errors/errors.ts';

const mediaError = (message: string): Error =>
  new StoreError('failed', { store: 'media', cause: new Error(message) });

/** Passes exactly so many bytes. Fails for fewer, and instead of the first chunk that has too many. */
export class LengthCheck extends Transform {
  /** What it holds the stream to. */
  readonly bytes: number;
  readonly #createError: (message: string) => Error;
  #remaining: number;

  constructor(bytes: number, createError: (message: string) => Error = mediaError) {
    super();
    this.bytes = bytes;
    this.#createError = createError;
    this.#remaining = bytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#remaining -= chunk.length;
    if (this.#remaining < 0) done(this.#createError('the file is longer than when the answer began'));
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    if (this.#remaining === 0) done(null);
    else done(this.#createError('the file ended before its announced length'));
  }
}

/**
 * The same bytes, held to their length. Destroying the result destroys `source`, whose errors are its own. A stream that is held to
 * this length already is returned as it is.
 */
export function holdToLength(
  source: Readable,
  bytes: number,
  createError?: (message: string) => Error,
): LengthCheck {
  if (source instanceof LengthCheck && source.bytes === bytes) return source;
  return pipeline(source, new LengthCheck(bytes, createError), () => undefined);
}
