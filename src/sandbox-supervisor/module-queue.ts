// The waiting invocations of one module, whatever its version, and the statistics that decide how many are sent at once.

import { failedResult, type Invocation } from './invocation.ts';
import type { InvocationResult } from './model/sandbox.ts';
import {
  ALONE_MS,
  BYTES_PER_MS,
  FRAME_MS,
  GUEST_CALL_WEIGHT,
  LARGE_RESULT_BYTES,
  LONGER_WEIGHT,
  MAX_BATCH,
  MAX_BATCH_CHARACTERS,
  MAX_NON_BLOCKING_RATIO,
  MAX_SLOW_MS,
  PIPELINE_MS,
  SHORTER_WEIGHT,
  SLOW_FACTOR,
  SLOW_SLICE_MS,
  STREAM_MS,
  UNKNOWN_SLICE_MS,
} from './tuning.ts';

const MAX_WAITING = 32;
/** The same for a module whose invocations are short and make no guest calls. */
const MAX_STREAM_WAITING = 1024;
/** Milliseconds after which the statistics of a queue that is not used say nothing any more. */
const UNUSED_MS = 60_000;

/** A caller waits this long for a host. */
const MAX_WAIT_MS = 1000;
/** Result of an invocation that no host took in time. */
export const WAITED_TOO_LONG = failedResult('ENDPOINT_BUSY', 'It waited too long for a host');

/** A first attempt waits for a host as long as a caller is made to wait, an isolated retry as long as it may run. */
export function isWaitingTooLong({ waitsSince, isIsolatedRetry, limits }: Invocation, now: number): boolean {
  return now - waitsSince > (isIsolatedRetry ? limits.wallMs : MAX_WAIT_MS);
}

interface BatchOptions {
  readonly isAlone?: boolean;
  /** Of all but the first request. */
  readonly maxCharacters?: number;
}

export class ModuleQueue {
  readonly moduleId: string;
  #waiting: Invocation[] = [];
  #sliceMs = UNKNOWN_SLICE_MS;
  #slowUntil = 0;
  #throttledUntil = 0;
  #aloneUntil = 0;
  #guestCallRatio = 0;
  #usedAt: number;

  /** `now`: milliseconds of a steady clock, like all times here. */
  constructor(moduleId: string, now: number) {
    this.moduleId = moduleId;
    this.#usedAt = now;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get first(): Invocation | undefined {
    return this.#waiting[0];
  }

  /** A running mean of the longest time slice of each frame, which leans towards the shorter ones. */
  get sliceMs(): number {
    return this.#sliceMs;
  }

  /** Invocations for one frame. */
  get batchSize(): number {
    return Math.max(1, Math.min(MAX_BATCH, Math.floor(FRAME_MS / this.#sliceMs)));
  }

  /** Frames that one host may have at a time. */
  get maxSentFrames(): number {
    return this.#sliceMs <= STREAM_MS ? 3 : this.#sliceMs <= PIPELINE_MS ? 2 : 1;
  }

  /** Nearly all invocations end in their first time slice. */
  get isNonBlocking(): boolean {
    return this.#guestCallRatio < MAX_NON_BLOCKING_RATIO;
  }

  /** Invocations that may wait for a host. */
  get maxLength(): number {
    return this.#sliceMs <= STREAM_MS && this.isNonBlocking ? MAX_STREAM_WAITING : MAX_WAITING;
  }

  /** A time slice was long: the module gets fewer hosts. */
  isSlow(now: number): boolean {
    return now < this.#slowUntil;
  }

  /** It responded with many bytes: other modules come first. */
  isThrottled(now: number): boolean {
    return now < this.#throttledUntil;
  }

  /** Each invocation has a frame and a host for itself: several may have caused a loss, and nobody was blamed for it. */
  runsAlone(now: number): boolean {
    return now < this.#aloneUntil;
  }

  /** Nothing waits and nothing came for a while, so that a new queue would do as well. */
  isUnused(now: number): boolean {
    return this.#waiting.length === 0 && now - this.#usedAt > UNUSED_MS && !this.runsAlone(now);
  }

  add(invocation: Invocation): void {
    this.#usedAt = invocation.waitsSince;
    this.#waiting.push(invocation);
  }

  /** Puts invocations in front, in their order. */
  requeue(invocations: readonly Invocation[]): void {
    this.#waiting.unshift(...invocations);
  }

  /** Takes the next invocations of one module version for one frame. An isolated retry is taken alone. */
  takeBatch({ isAlone = false, maxCharacters = MAX_BATCH_CHARACTERS }: BatchOptions = {}): Invocation[] {
    const [first] = this.#waiting;
    const max = isAlone ? 1 : this.batchSize;
    const maxSent = Math.min(maxCharacters, MAX_BATCH_CHARACTERS);
    const batch: Invocation[] = [];
    let characters = 0;
    for (const invocation of this.#waiting) {
      const { moduleVersion, isIsolatedRetry } = invocation;
      if (moduleVersion !== first?.moduleVersion || (batch.length > 0 && isIsolatedRetry)) break;
      characters += invocation.characters;
      if (batch.length > 0 && characters > maxSent) break;
      batch.push(invocation);
      if (batch.length === max || isIsolatedRetry) break;
    }
    this.#waiting.splice(0, batch.length);
    return batch;
  }

  /** Restarts the clocks of all that wait. */
  restartWaits(now: number): void {
    for (const invocation of this.#waiting) invocation.restartWait(now);
  }

  /** Rejects what has waited for too long. */
  rejectExpired(now: number): void {
    const isExpired = (invocation: Invocation) => isWaitingTooLong(invocation, now);
    if (!this.#waiting.some(isExpired)) return;
    for (const invocation of this.#waiting) if (isExpired(invocation)) invocation.settle(WAITED_TOO_LONG);
    this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
  }

  /** Rejects the newest invocations, until at most `max` wait. */
  rejectOverflow(max: number, result: InvocationResult): void {
    for (const invocation of this.#waiting.splice(max).reverse()) invocation.settle(result);
  }

  rejectAll(result: InvocationResult): void {
    for (const invocation of this.#waiting.splice(0)) invocation.settle(result);
  }

  /** Records a time slice that may still be running, by the CPU that it has used. */
  recordLongSlice(sliceMs: number, now: number): void {
    if (sliceMs <= SLOW_SLICE_MS) return;
    this.#slowUntil = Math.max(this.#slowUntil, now + Math.min(MAX_SLOW_MS, sliceMs * SLOW_FACTOR));
  }

  /** Records the longest time slice of a frame. `isCold`: the first slice in an isolate says little of the next. */
  recordSlice(sliceMs: number, { isCold, now }: { readonly isCold: boolean; readonly now: number }): void {
    this.recordLongSlice(sliceMs, now);
    if (isCold) return;
    const weight = sliceMs > this.#sliceMs ? LONGER_WEIGHT : SHORTER_WEIGHT;
    this.#sliceMs += (sliceMs - this.#sliceMs) * weight;
  }

  /** Records the size of a result frame. */
  recordResultBytes(bytes: number, now: number): void {
    if (bytes <= LARGE_RESULT_BYTES) return;
    this.#throttledUntil = Math.max(this.#throttledUntil, now) + bytes / BYTES_PER_MS;
  }

  /** Records that an isolate or a process was lost, and that several invocations may be to blame. */
  recordSharedLoss(now: number): void {
    this.#aloneUntil = now + ALONE_MS;
  }

  /** Records an invocation that made a guest call, or ended without one. */
  recordGuestCallUse(hasGuestCalls: boolean): void {
    this.#guestCallRatio += ((hasGuestCalls ? 1 : 0) - this.#guestCallRatio) * GUEST_CALL_WEIGHT;
  }
}
