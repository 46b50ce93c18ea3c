// What a host has to tell the server: gathered while turns run, sent as one frame.

/** @import { FromHost, GuestEventKind, TurnFault } from './protocol.ts' */

/** Answers wait for those of the next turns up to this size. */
const LARGE_BYTES = 1_048_576;
/** More than this in one frame no limit allows: at three bytes for each unit it still fits. */
const MAX_CODE_UNITS = 20_000_000;
const MESSAGE_LENGTH = 300;

/**
 * @param {object} options
 * @param {{ add(text: string): number, cut(bytes: number): void, pending(): number, flush(header: FromHost): void }} options.writer
 * @param {(job: number) => void} options.lost Ends this process: it cannot go on.
 */
export function createReport({ writer, lost }) {
  /** @type {[number, GuestEventKind, number, number][]} */
  let events = [];
  /** @type {[number, TurnFault, string][]} */
  let faults = [];
  /** Bytes of the texts of those events. */
  let told = 0;
  let turnMs = 0;
  let disposed = false;

  return {
    /**
     * Called from within turns, where the stack may end at any depth: what was laid down of an event that came to nothing is
     * taken back before the next one.
     * @param {number} job
     * @param {GuestEventKind} kind
     * @param {string} head
     * @param {string} body
     */
    event(job, kind, head, body) {
      writer.cut(told);
      if (writer.pending() + head.length + body.length > MAX_CODE_UNITS) lost(job);
      const headBytes = writer.add(head);
      const bodyBytes = writer.add(body);
      events.push([job, kind, headBytes, bodyBytes]);
      told += headBytes + bodyBytes;
    },

    /**
     * @param {number} job
     * @param {TurnFault} kind
     * @param {string} message
     */
    fault(job, kind, message) {
      faults.push([job, kind, message.slice(0, MESSAGE_LENGTH)]);
    },

    /**
     * A turn is over: how long it took, and whether its isolate is gone.
     * @param {number} ms
     * @param {boolean} isolateGone
     */
    turn(ms, isolateGone) {
      turnMs = Math.max(turnMs, ms);
      disposed ||= isolateGone;
    },

    /** Whether an isolate went since the last frame. */
    isolateGone: () => disposed,

    isEmpty: () => events.length === 0 && faults.length === 0,

    isLarge: () => writer.pending() > LARGE_BYTES,

    /**
     * @param {number} unit
     * @param {boolean} idle
     * @param {number[]} back
     */
    flush(unit, idle, back = []) {
      writer.cut(told);
      writer.flush({ t: 'turns', unit, events, faults, back, idle, turnMs, disposed });
      events = [];
      faults = [];
      told = 0;
      turnMs = 0;
      disposed = false;
    },
  };
}
