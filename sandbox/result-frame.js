// What a host has to tell the server: gathered while time slices run, sent as one frame.

/** @import { FromHost, GuestEventKind, SliceError } from './protocol.ts' */

/** Answers wait for those of the next time slices up to this size. */
const LARGE_BYTES = 1_048_576;
/** More than this in one frame no limit allows: at three bytes for each code unit it still fits. */
const MAX_CODE_UNITS = 20_000_000;
const MESSAGE_LENGTH = 300;

/**
 * @param {object} options
 * @param {{ add(text: string): number, cut(bytes: number): void, pending(): number, flush(header: FromHost): void }} options.writer
 * @param {(number: number) => void} options.lost Ends this process: it cannot go on.
 */
export function createResultFrame({ writer, lost }) {
  /** @type {[number, GuestEventKind, number, number][]} */
  let events = [];
  /** @type {[number, SliceError, string][]} */
  let errors = [];
  /** Bytes of the texts of those events. */
  let told = 0;
  let sliceMs = 0;
  let cpuMs = 0;
  let disposed = false;

  return {
    /**
     * Called from within time slices, where the stack may end at any depth: what was laid down of an event that came to nothing is
     * taken back before the next one.
     * @param {number} number
     * @param {GuestEventKind} kind
     * @param {string} head
     * @param {string} body
     */
    event(number, kind, head, body) {
      writer.cut(told);
      if (writer.pending() + head.length + body.length > MAX_CODE_UNITS) lost(number);
      const headBytes = writer.add(head);
      const bodyBytes = writer.add(body);
      events.push([number, kind, headBytes, bodyBytes]);
      told += headBytes + bodyBytes;
    },

    /**
     * @param {number} number
     * @param {SliceError} kind
     * @param {string} message
     */
    error(number, kind, message) {
      errors.push([number, kind, message.slice(0, MESSAGE_LENGTH)]);
    },

    /**
     * A time slice is over, or several that shared an entry: how long the longest took, and all of them, and whether their isolate is
     * gone.
     * @param {number} ms
     * @param {number} allMs
     * @param {boolean} isolateGone
     */
    slice(ms, allMs, isolateGone) {
      sliceMs = Math.max(sliceMs, ms);
      cpuMs += allMs;
      disposed ||= isolateGone;
    },

    /** Whether an isolate went since the last frame. */
    isolateGone: () => disposed,

    isEmpty: () => events.length === 0 && errors.length === 0,

    isLarge: () => writer.pending() > LARGE_BYTES,

    /**
     * @param {number} moduleNumber
     * @param {boolean} idle
     * @param {number[]} returned
     * @param {number} heapBytes
     */
    flush(moduleNumber, idle, returned = [], heapBytes = 0) {
      writer.cut(told);
      const times = { sliceMs, cpuMs, heapBytes };
      writer.flush({ t: 'results', moduleNumber, events, errors, returned, idle, ...times, disposed });
      events = [];
      errors = [];
      told = 0;
      sliceMs = 0;
      cpuMs = 0;
      disposed = false;
    },
  };
}
