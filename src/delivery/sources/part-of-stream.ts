// A part of a file whose server sends only the whole.
import { Readable } from 'node:stream';
import { onceClosed } from '../../lib/async/ownership.ts';
import type { ByteRange } from '../../stores/media-store.ts';

/** The bytes of a range. The whole is read from its start, and destroyed after the last byte or with the result. */
export function partOfStream(whole: Readable, { start, end }: ByteRange): Readable {
  const pieces = async function* () {
    let at = 0;
    for await (const chunk of whole as AsyncIterable<Buffer>) {
      const from = Math.max(0, start - at);
      if (from < chunk.length) yield chunk.subarray(from, end + 1 - at);
      at += chunk.length;
      if (at > end) return;
    }
  };
  const part = Readable.from(pieces(), { objectMode: false });
  onceClosed(part, () => whole.destroy());
  return part;
}
