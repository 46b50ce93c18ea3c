// Encodes frames for a host and reads those from it, which are hostile: both lengths are checked before anything is buffered, and
// the header before any raw byte. The form of a frame is in sandbox/protocol.ts.

/** Most bytes of a header that a host may send: 16 requests with all the log lines and calls that they may have. */
const MAX_HEADER_BYTES = 524_288;
/** Most raw bytes of a frame from a host. */
const MAX_RAW_BYTES = 67_108_864;
const LENGTHS = 8;

/** Encodes lengths, header and texts. */
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
  /** False when a frame is rejected: nothing after that can be trusted. */
  push(chunk: Buffer): boolean;
}

/** Handles frames; `M` is the type of parsed headers. */
interface FrameHandler<M> {
  /** Parses a header; null rejects the frame, before any of its raw bytes is buffered. */
  header(header: string, rawBytes: number): M | null;
  /** Handles a whole frame; false rejects it. `raw` may be part of the chunk that was pushed. */
  frame(message: M, raw: Buffer): boolean;
}

function isTooLarge(headerBytes: number, rawBytes: number): boolean {
  return headerBytes > MAX_HEADER_BYTES || rawBytes > MAX_RAW_BYTES;
}

/** Splits what a socket delivers into frames. It stops for good when one is rejected. */
export function createFrameReader<M>(handler: FrameHandler<M>): FrameReader {
  const lengths = Buffer.alloc(LENGTHS);
  let lengthsFilled = 0;
  /** The part of a frame that did not come in one piece: first its header, then its raw bytes. */
  let part: Buffer | undefined;
  let partFilled = 0;
  let message: M | undefined;

  const expect = (bytes: number) => {
    // Memory that is reserved and never filled costs nothing.
    part = Buffer.allocUnsafeSlow(bytes);
    partFilled = 0;
  };
  const reset = () => {
    part = undefined;
    message = undefined;
    lengthsFilled = 0;
  };

  /** Takes whole frames straight out of the chunk. Returns where it stopped, or -1. */
  const takeWhole = (chunk: Buffer, from: number): number => {
    let at = from;
    while (chunk.length - at >= LENGTHS) {
      const headerBytes = chunk.readUInt32BE(at);
      const rawBytes = chunk.readUInt32BE(at + 4);
      if (isTooLarge(headerBytes, rawBytes)) return -1;
      const rawStart = at + LENGTHS + headerBytes;
      const end = rawStart + rawBytes;
      if (end > chunk.length) return at;
      const whole = handler.header(chunk.toString('utf8', at + LENGTHS, rawStart), rawBytes);
      if (whole === null || !handler.frame(whole, chunk.subarray(rawStart, end))) return -1;
      at = end;
    }
    return at;
  };

  /** A part is there. False ends the reading. */
  const takeFilled = (filled: Buffer): boolean => {
    const rawBytes = lengths.readUInt32BE(4);
    const read = message ?? handler.header(filled.toString(), rawBytes);
    if (read === null) return false;
    const isHeader = message === undefined;
    if (isHeader && rawBytes > 0) {
      message = read;
      expect(rawBytes);
      return true;
    }
    reset();
    return handler.frame(read, isHeader ? filled.subarray(0, 0) : filled);
  };

  /** Goes on with a frame that is not complete. Returns where it stopped, or -1. */
  const takePart = (chunk: Buffer, from: number): number => {
    let at = from;
    if (part === undefined) {
      const copied = chunk.copy(lengths, lengthsFilled, at);
      lengthsFilled += copied;
      at += copied;
      if (lengthsFilled < LENGTHS) return at;
      const headerBytes = lengths.readUInt32BE(0);
      if (isTooLarge(headerBytes, lengths.readUInt32BE(4))) return -1;
      expect(headerBytes);
    }
    const present = part as Buffer;
    const copied = chunk.copy(present, partFilled, at);
    partFilled += copied;
    at += copied;
    if (partFilled < present.length) return at;
    return takeFilled(present) ? at : -1;
  };

  let isStopped = false;
  return {
    push(chunk) {
      let at = 0;
      while (!isStopped && at < chunk.length) {
        const isBetween = part === undefined && lengthsFilled === 0;
        const next = isBetween ? takeWhole(chunk, at) : at;
        at = next === -1 || next === chunk.length ? next : takePart(chunk, next);
        isStopped = at === -1;
      }
      return !isStopped;
    },
  };
}
