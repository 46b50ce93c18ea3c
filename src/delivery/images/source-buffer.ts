// The bytes of an original as they arrive in the render process.

export interface SourceBuffer {
  /** Another original begins. Where its size is known its bytes are never held twice. */
  expect(size: number | undefined): void;
  /** Copies them. */
  add(bytes: Buffer): void;
  /** All of them; the buffer is empty then. */
  take(): Buffer;
}

export function createSourceBuffer(): SourceBuffer {
  let whole: Buffer = Buffer.alloc(0);
  let used = 0;
  let pieces: Buffer[] = [];
  return {
    expect(size) {
      whole = Buffer.allocUnsafe(size ?? 0);
      used = 0;
      pieces = [];
    },
    add(bytes) {
      const fitting = bytes.subarray(0, whole.length - used);
      used += fitting.copy(whole, used);
      // A file that is longer than it said.
      if (fitting.length < bytes.length) pieces.push(Buffer.from(bytes.subarray(fitting.length)));
    },
    take() {
      const known = whole.subarray(0, used);
      const bytes = pieces.length === 0 ? known : Buffer.concat([known, ...pieces]);
      whole = Buffer.alloc(0);
      pieces = [];
      used = 0;
      return bytes;
    },
  };
}
