// Frames on the pipe to a host, from the server's side. What comes in is hostile: both lengths are held against their caps
// before anything is kept. The form of a frame is in sandbox/protocol.ts.

/** Most bytes of a header that a host may send: 16 requests with all the log lines and calls that they may have. */
const MAX_HEADER = 524_288;
/** Most raw bytes of a frame from a host. */
const MAX_RAW = 67_108_864;
const LENGTHS = 8;

/** Puts lengths and header before the texts. */
export function encodeFrame(header: string, texts: readonly string[], rawBytes: number): Buffer {
  const headerBytes = Buffer.byteLength(header);
  const frame = Buffer.allocUnsafe(LENGTHS + headerBytes + rawBytes);
  frame.writeUInt32BE(headerBytes, 0);
  frame.writeUInt32BE(rawBytes, 4);
  let at = LENGTHS + frame.write(header, LENGTHS);
  for (const text of texts) if (text !== '') at += frame.write(text, at);
  return frame;
}

export interface FrameReader {
  /** False when a length is over its cap: nothing after that can be trusted. */
  push(chunk: Buffer): boolean;
}

/** `raw` may be part of the chunk that was pushed. */
type OnFrame = (header: string, raw: Buffer) => boolean;

function isTooLarge(headerBytes: number, rawBytes: number): boolean {
  return headerBytes > MAX_HEADER || rawBytes > MAX_RAW;
}

/** Cuts what a socket delivers into frames. It stops, and stays stopped, when `onFrame` returns false. */
export function createFrameReader(onFrame: OnFrame): FrameReader {
  const lengths = Buffer.alloc(LENGTHS);
  let lengthsFilled = 0;
  /** Header and raw bytes of a frame that did not come in one piece. */
  let body: Buffer | undefined;
  let bodyFilled = 0;

  const emit = (headerBytes: number, bytes: Buffer) =>
    onFrame(bytes.toString('utf8', 0, headerBytes), bytes.subarray(headerBytes));

  /** Takes whole frames straight out of the chunk. Returns where it stopped, or -1. */
  const takeWhole = (chunk: Buffer, from: number): number => {
    let at = from;
    while (chunk.length - at >= LENGTHS) {
      const headerBytes = chunk.readUInt32BE(at);
      const rawBytes = chunk.readUInt32BE(at + 4);
      if (isTooLarge(headerBytes, rawBytes)) return -1;
      const end = at + LENGTHS + headerBytes + rawBytes;
      if (end > chunk.length) return at;
      if (!emit(headerBytes, chunk.subarray(at + LENGTHS, end))) return -1;
      at = end;
    }
    return at;
  };

  /** Goes on with a frame that is not complete. Returns where it stopped, or -1. */
  const takePart = (chunk: Buffer, from: number): number => {
    let at = from;
    if (body === undefined) {
      const copied = chunk.copy(lengths, lengthsFilled, at);
      lengthsFilled += copied;
      at += copied;
      if (lengthsFilled < LENGTHS) return at;
      const headerBytes = lengths.readUInt32BE(0);
      const rawBytes = lengths.readUInt32BE(4);
      if (isTooLarge(headerBytes, rawBytes)) return -1;
      // Memory that is reserved and never filled costs nothing.
      body = Buffer.allocUnsafeSlow(headerBytes + rawBytes);
      bodyFilled = 0;
    }
    const copied = chunk.copy(body, bodyFilled, at);
    bodyFilled += copied;
    at += copied;
    if (bodyFilled < body.length) return at;
    const whole = body;
    body = undefined;
    lengthsFilled = 0;
    return emit(lengths.readUInt32BE(0), whole) ? at : -1;
  };

  let isStopped = false;
  return {
    push(chunk) {
      let at = 0;
      while (!isStopped && at < chunk.length) {
        const isBetween = body === undefined && lengthsFilled === 0;
        const next = isBetween ? takeWhole(chunk, at) : at;
        at = next === -1 || next === chunk.length ? next : takePart(chunk, next);
        isStopped = at === -1;
      }
      return !isStopped;
    },
  };
}
