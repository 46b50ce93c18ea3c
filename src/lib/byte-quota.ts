// A shared limit on the bytes that several owners keep in memory.

export interface ByteQuota {
  /** Adds bytes in use; a negative number releases them. */
  add(difference: number): void;
  /** True if this many more bytes are within the limit. Always true if none are in use. */
  fits(bytes: number): boolean;
}

/** Creates an empty quota. It enforces nothing: each owner calls `fits` before `add`. */
export function createByteQuota(limit: number): ByteQuota {
  let used = 0;
  return {
    add(difference) {
      used += difference;
    },
    fits: (bytes) => used === 0 || used + bytes <= limit,
  };
}
