// Keeps the first and the last bytes of a stream: enough to read the dimensions of an image.

export interface HeadAndTail {
  take(chunk: Uint8Array): void;
  /** The first bytes, at most the requested number. */
  head(bytes: number): Uint8Array;
  /** The last bytes, at most the requested number. They overlap with the head in a short file. */
  tail(bytes: number): Uint8Array;
}

const join = (chunks: readonly Uint8Array[]) =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/** Returns the leading chunks that hold the requested bytes: no other chunk has to be copied. */
function enough(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  const end = chunks.findIndex((chunk) => {
    left -= chunk.length;
    return left <= 0;
  });
  return end === -1 ? chunks : chunks.slice(0, end + 1);
}

/** Creates an empty buffer, which holds the requested bytes and at most one chunk more. */
export function createHeadAndTail(headBytes: number, tailBytes: number): HeadAndTail {
  const first: Uint8Array[] = [];
  const last: Uint8Array[] = [];
  let inFirst = 0;
  let inLast = 0;
  return {
    take(chunk) {
      if (inFirst < headBytes) {
        first.push(chunk);
        inFirst += chunk.length;
      }
      last.push(chunk);
      inLast += chunk.length;
      while (inLast - (last[0]?.length ?? 0) >= tailBytes && last.length > 1) {
        inLast -= last.shift()?.length ?? 0;
      }
    },
    head(bytes) {
      const size = Math.min(bytes, headBytes);
      return join(enough(first, size)).subarray(0, size);
    },
    tail(bytes) {
      const size = Math.min(bytes, tailBytes);
      const kept = join(enough(last.toReversed(), size).toReversed());
      return kept.subarray(Math.max(0, kept.length - size));
    },
  };
}
