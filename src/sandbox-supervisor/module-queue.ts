// The waiting invocations of one module, whatever its version, and the statistics that decide how many are sent at once.

import { failedResult, type Invocation } from './invocation.ts';
import type { ModuleLimits, ModuleVersion } from './model/module-version.ts';
import type { InvocationResult } from './model/sandbox.ts';

const MAX_WAITING = 32;
/** The same for a module whose invocations are short and make no guest calls. */
const MAX_STREAM_WAITING = 1024;
/** Invocations in one frame, and characters of their requests: a larger request is sent alone. */
const MAX_BATCH = 16;
const MAX_BATCH_CHARACTERS = 1_048_576;
/**
 * Requests that are in flight in one host may share a heap. Together they are at most this part of it, as text of two bytes a
 * character, and what their handlers make of them has the rest: otherwise callers with large bodies could exhaust it together, while
 * each is far from doing so. A larger request is in flight alone.
 */
const IN_FLIGHT_PART = 1 / 4;
const BYTES_PER_CHARACTER = 2;
const MB = 1_048_576;
/** A frame should not occupy a host for longer than this. */
const FRAME_MS = 8;
/** Up to these lengths of a time slice it pays to have further frames ready in the pipe. */
const PIPELINE_MS = 1;
const STREAM_MS = 0.25;
/** After a longer time slice the module counts as slow for a hundred times as long, at most a minute. */
const SLOW_SLICE_MS = 50;
const SLOW_FACTOR = 100;
const MAX_SLOW_MS = 60_000;
/** Result frames above this size count towards throttling. */
const LARGE_RESULT_BYTES = 262_144;
/**
 * Bytes per millisecond that one module may respond with over time. Responses of megabytes cost the server's thread garbage
 * collections that delay all modules: at four times this rate the p99 of another module was twenty times as high.
 */
const BYTES_PER_MS = 65_536;
const MINUTE_MS = 60_000;
/** How long invocations run alone after a loss that several may have caused: the next one then has a certain culprit. */
const ALONE_MS = 60_000;
/** Assumed length of a time slice before the first one was measured. */
const UNKNOWN_SLICE_MS = 0.2;
/**
 * Weights of a new value in the running mean of time slices. A long slice says little, as the machine may have been busy, and
 * hosts give invocations back after it anyway; a short one shows that slices can be short.
 */
const LONGER_WEIGHT = 0.02;
const SHORTER_WEIGHT = 0.5;
/** Weight of one invocation in the share of those with guest calls, and the share that counts as none. */
const HOST_CALL_WEIGHT = 0.2;
const MAX_NON_BLOCKING_RATIO = 0.01;

/** A caller waits this long for a host. */
const MAX_WAIT_MS = 1000;
/** Result of an invocation that no host took in time. */
export const WAITED_TOO_LONG = failedResult('ENDPOINT_BUSY', 'It waited too long for a host');

/** A first attempt waits for a host as long as a caller is made to wait, an isolated retry as long as it may run. */
export function isWaitingTooLong({ waitsSince, isIsolatedRetry, limits }: Invocation, now: number): boolean {
  return now - waitsSince > (isIsolatedRetry ? limits.wallMs : MAX_WAIT_MS);
}

/** What a host needs for itself and for isolates that lie idle in it. */
const HOST_OWN_MB = 96;

/** How many invocations of a module the memory of one host is enough for: where each has a heap of its own, so many as fit. */
export function maxInvocationsInHost(
  { policy: { isolation, limits } }: Pick<ModuleVersion, 'policy'>,
  hostMemoryMb: number,
): number {
  if (isolation !== 'isolate') return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor((hostMemoryMb - HOST_OWN_MB) / limits.heapMb));
}

/** Characters of all requests that may be in flight in one host, unless it is a single one. */
export function maxCharactersInFlight({ heapMb }: Pick<ModuleLimits, 'heapMb'>): number {
  return (heapMb * MB * IN_FLIGHT_PART) / BYTES_PER_CHARACTER;
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
  #minuteFrom: number;
  #minuteCount = 0;
  #usedAt: number;

  /** `now`: milliseconds of a steady clock, like all times here. */
  constructor(moduleId: string, now: number) {
    this.moduleId = moduleId;
    this.#minuteFrom = now;
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
  get maxFrames(): number {
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

  /** Nothing waits and nothing was called for a minute, so that a new queue would do as well. */
  isUnused(now: number): boolean {
    return this.#waiting.length === 0 && now - this.#usedAt > MINUTE_MS && !this.runsAlone(now);
  }

  /** Counts a call; false when the minute is full (0: no limit). A minute begins with the first call after the last one ended. */
  countCall(perMinute: number, now: number): boolean {
    this.#usedAt = now;
    if (now - this.#minuteFrom >= MINUTE_MS) {
      this.#minuteFrom = now;
      this.#minuteCount = 0;
    }
    if (perMinute > 0 && this.#minuteCount >= perMinute) return false;
    this.#minuteCount += 1;
    return true;
  }

  add(invocation: Invocation): void {
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
    const most = Math.min(maxCharacters, MAX_BATCH_CHARACTERS);
    const batch: Invocation[] = [];
    let characters = 0;
    for (const invocation of this.#waiting) {
      const { moduleVersion, isIsolatedRetry } = invocation;
      if (moduleVersion !== first?.moduleVersion || (batch.length > 0 && isIsolatedRetry)) break;
      characters += invocation.characters;
      if (batch.length > 0 && characters > most) break;
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
    this.#guestCallRatio += ((hasGuestCalls ? 1 : 0) - this.#guestCallRatio) * HOST_CALL_WEIGHT;
  }
}
