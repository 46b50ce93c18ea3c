// The pipe of a host, read and written synchronously: one frame in, one frame out. The form of a frame is in protocol.ts.
// There is no event loop behind it: a host does one thing at a time, and whoever waits for it is another process.
import { readSync, writeSync } from 'node:fs';

/** Most bytes of a header and of the raw bytes of one frame, in either direction. */
export const MAX_HEADER_BYTES = 1_048_576;
export const MAX_RAW_BYTES = 67_108_864;

const LENGTHS = 8;
const SMALL = 65_536;
/** Space before the raw bytes, for the lengths and the header, which is known last. */
const HEADER_SPACE = LENGTHS + SMALL;
const USUAL = HEADER_SPACE + 262_144;
/** A code unit of UTF-16 takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * A pipe that blocks never answers EAGAIN; one that does not is asked again after a millisecond.
 * @param {() => number} attempt
 * @returns {number}
 */
function retryWhileBusy(attempt) {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const code = /** @type {{ code?: string }} */ (error).code;
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error;
      if (code === 'EAGAIN') Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

/**
 * Reads frames. `next` waits for one; it returns null when the other end is gone, and throws when a length is too large or
 * a frame is cut short.
 * @param {number} fd
 */
export function createFrameReader(fd) {
  let buffer = Buffer.allocUnsafe(SMALL);
  let start = 0;
  let end = 0;

  /** @param {number} bytes */
  function reserveBytes(bytes) {
    if (buffer.length - start >= bytes) return;
    const from = buffer;
    if (buffer.length < bytes) buffer = Buffer.allocUnsafe(bytes);
    from.copy(buffer, 0, start, end);
    end -= start;
    start = 0;
  }

  /**
   * Whether this many bytes lie ready from `start` on.
   * @param {number} bytes
   */
  function fill(bytes) {
    reserveBytes(bytes);
    while (end - start < bytes) {
      const read = retryWhileBusy(() => readSync(fd, buffer, end, buffer.length - end, null));
      if (read === 0) return false;
      end += read;
    }
    return true;
  }

  /** A buffer that one large frame needed is not kept, and an empty one is filled from its begin again. */
  function tidy() {
    if (start < end) return;
    start = 0;
    end = 0;
    if (buffer.length > SMALL) buffer = Buffer.allocUnsafe(SMALL);
  }

  /** @returns {{ header: any, raw: Buffer } | null} `raw` is valid until the next call. */
  function next() {
    tidy();
    if (!fill(LENGTHS)) {
      if (end > start) throw new Error('cut short');
      return null;
    }
    const headerBytes = buffer.readUInt32BE(start);
    const rawBytes = buffer.readUInt32BE(start + 4);
    if (headerBytes > MAX_HEADER_BYTES || rawBytes > MAX_RAW_BYTES) throw new Error('too large');
    if (!fill(LENGTHS + headerBytes + rawBytes)) throw new Error('cut short');
    const rawStart = start + LENGTHS + headerBytes;
    const header = JSON.parse(buffer.toString('utf8', start + LENGTHS, rawStart));
    const raw = buffer.subarray(rawStart, rawStart + rawBytes);
    start = rawStart + rawBytes;
    return { header, raw };
  }

  return { next };
}

/**
 * Writes frames. Raw bytes are laid down first, by `add`; `flush` puts lengths and header before them and sends all at once.
 * @param {number} fd
 */
export function createFrameWriter(fd) {
  let buffer = Buffer.allocUnsafe(USUAL);
  let end = HEADER_SPACE;

  /**
   * Makes room before and behind what is laid down.
   * @param {number} before
   * @param {number} after
   */
  function reserve(before, after) {
    const raw = end - HEADER_SPACE;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, before + raw + after));
    buffer.copy(larger, before, HEADER_SPACE, end);
    return larger;
  }

  /** Bytes laid down since the last frame. */
  const pending = () => end - HEADER_SPACE;

  /**
   * Takes back what was laid down beyond so many bytes.
   * @param {number} bytes
   */
  function cut(bytes) {
    end = HEADER_SPACE + bytes;
  }

  /**
   * @param {string} text
   * @returns {number} Its bytes in UTF-8.
   */
  function add(text) {
    if (text === '') return 0;
    const maxBytes = text.length * MAX_BYTES_PER_UNIT;
    if (buffer.length - end < maxBytes) buffer = reserve(HEADER_SPACE, maxBytes);
    const bytes = buffer.write(text, end);
    end += bytes;
    return bytes;
  }

  /** @param {Buffer} bytes */
  function send(bytes) {
    let sent = 0;
    while (sent < bytes.length) {
      const from = sent;
      sent += retryWhileBusy(() => writeSync(fd, bytes, from, bytes.length - from));
    }
  }

  /** @param {object} header */
  function flush(header) {
    const text = JSON.stringify(header);
    const bytes = Buffer.byteLength(text);
    let frame = buffer;
    let first = HEADER_SPACE - LENGTHS - bytes;
    let last = end;
    if (first < 0) {
      frame = reserve(LENGTHS + bytes, 0);
      last = LENGTHS + bytes + pending();
      first = 0;
    }
    frame.writeUInt32BE(bytes, first);
    frame.writeUInt32BE(pending(), first + 4);
    frame.write(text, first + LENGTHS);
    send(frame.subarray(first, last));
    end = HEADER_SPACE;
    if (buffer.length > USUAL) buffer = Buffer.allocUnsafe(USUAL);
  }

  return { add, cut, pending, flush };
}
