// A download that cannot look complete when it is not: exactly the promised number of bytes, or an error.
import { Transform } from 'node:stream';
import { StoreError } from '../../errors.ts';

const lengthError = (message: string) =>
  new StoreError('failed', { store: 'media', cause: new Error(message) });

/** Passes so many bytes through. Fails when the source ends earlier or has more, so that the connection is closed. */
export function createLengthCheck(bytes: number): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(lengthError('the file is longer than when the answer began'));
      else done(null, chunk);
    },
    flush(done) {
      done(left === 0 ? null : lengthError('the file ended before its announced length'));
    },
  });
}
