// A bound on the bytes that several owners hold in memory together.

export interface ByteQuota {
  /** Counts bytes as held; a negative number gives them back. */
  add(difference: number): void;
  /** Whether so many bytes fit beside those that are held. Where none are held, any number does. */
  fits(bytes: number): boolean;
}

/** Makes an empty budget of so many bytes. Nothing is refused here: each owner asks before it adds. */
export function createByteQuota(limit: number): ByteQuota {
  let used = 0;
  return {
    add(difference) {
      used += difference;
    },
    fits: (bytes) => used === 0 || used + bytes <= limit,
  };
}
