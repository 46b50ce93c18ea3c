// The pipes between the server and a render process: frames of one byte of kind, four of length, then the payload.

import type { Writable } from 'node:stream';

/** J: a JSON message. B: bytes of a body. E: the body is complete. */
export type FrameKind = 'J' | 'B' | 'E';

const HEADER_BYTES = 5;
/** Of one frame. Longer bodies are sent in several. */
export const MAX_FRAME_BYTES = 1024 * 1024;

function writeFrame(stream: Writable, kind: FrameKind, payload: Uint8Array): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(kind, 'latin1');
  header.writeUInt32BE(payload.length, 1);
  stream.cork();
  stream.write(header);
  const isWritable = stream.write(payload);
  stream.uncork();
  return isWritable;
}

export function writeMessage(stream: Writable, message: object): void {
  writeFrame(stream, 'J', Buffer.from(JSON.stringify(message)));
}

/** False when the caller should wait for `drain`. */
export function writeBytes(stream: Writable, bytes: Uint8Array): boolean {
  let isWritable = true;
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
    isWritable = writeFrame(stream, 'B', bytes.subarray(at, at + MAX_FRAME_BYTES));
  }
  return isWritable;
}

export function writeEnd(stream: Writable): void {
  writeFrame(stream, 'E', new Uint8Array(0));
}

/**
 * Makes a reader that calls `onFrame` for every complete frame of the chunks it is given, and for the bytes of a body as
 * they come, which are the caller's and may change once it returns. Throws on anything else.
 */
export function createPipeReader(onFrame: (kind: FrameKind, payload: Buffer) => void) {
  let header: Buffer = Buffer.alloc(0);
  let kind: FrameKind | undefined;
  let missing = 0;
  let pieces: Buffer[] = [];

  const begin = () => {
    const letter = header.toString('latin1', 0, 1);
    missing = header.readUInt32BE(1);
    if ((letter !== 'J' && letter !== 'B' && letter !== 'E') || missing > MAX_FRAME_BYTES) {
      throw new Error('malformed frame');
    }
    kind = letter;
    header = Buffer.alloc(0);
  };

  return (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0 || (kind !== undefined && missing === 0)) {
      if (kind === undefined) {
        const taken = rest.subarray(0, HEADER_BYTES - header.length);
        header = Buffer.concat([header, taken]);
        rest = rest.subarray(taken.length);
        if (header.length === HEADER_BYTES) begin();
        continue;
      }
      const taken = rest.subarray(0, missing);
      missing -= taken.length;
      rest = rest.subarray(taken.length);
      if (kind === 'B') {
        if (missing === 0) kind = undefined;
        onFrame('B', taken);
        continue;
      }
      pieces.push(Buffer.from(taken));
      if (missing > 0) continue;
      const payload = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      const complete = kind;
      kind = undefined;
      pieces = [];
      onFrame(complete, payload);
    }
  };
}

export interface OriginalImageBuffer {
  /** Another original begins. Where its size is known its bytes are never held twice. */
  expect(size: number | undefined): void;
  /** Copies them. */
  add(bytes: Buffer): void;
  /** All of them; the buffer is empty then. */
  take(): Buffer;
}

export function createOriginalImageBuffer(): OriginalImageBuffer {
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
