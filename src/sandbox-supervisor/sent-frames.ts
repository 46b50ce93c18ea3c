// The frames that one host was sent and has not answered to the end, oldest first: the first one is what it runs.
import type { AssignedFrame, Invocation } from './invocation.ts';

/** A `run` or `deliver` frame. */
export interface SentFrame extends AssignedFrame {
  readonly invocations: readonly Invocation[];
  /** A `deliver`: its invocation has started. */
  readonly isDelivery: boolean;
  /** How many invocations of its module version may be started and unfinished in the host. */
  readonly maxInFlight: number;
}

export class SentFrames {
  readonly #frames: SentFrame[] = [];
  #progressAt: number;
  #runsSince: number;
  #partialResults = 0;
  #cpuMs = 0;
  /** CPU that the process had used when the current frame was first measured. */
  #cpuMark: number | null = null;

  constructor(now: number) {
    this.#progressAt = now;
    this.#runsSince = now;
  }

  get length(): number {
    return this.#frames.length;
  }

  get current(): SentFrame | undefined {
    return this.#frames[0];
  }

  /** Frames in the pipe, behind the current one. */
  get queued(): readonly SentFrame[] {
    return this.#frames.slice(1);
  }

  /** When the current time slice began, as far as is known. */
  get progressAt(): number {
    return this.#progressAt;
  }

  /** Since when the host runs the current frame, as far as is known. */
  get runsSince(): number {
    return this.#runsSince;
  }

  /** CPU that the process was seen to use for the current frame. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /** The largest number of invocations that one of them lets be in flight. */
  get maxInFlight(): number {
    return this.#frames.reduce((max, frame) => Math.max(max, frame.maxInFlight), 0);
  }

  isUsing(moduleNumber: number): boolean {
    return this.#frames.some((frame) => frame.moduleNumber === moduleNumber);
  }

  push(frame: SentFrame, now: number): void {
    this.#frames.push(frame);
    if (this.#frames.length > 1) return;
    this.#progressAt = now;
    this.#beginNext();
  }

  /** Records that the host did something: it came up, or sent a result. */
  recordProgress(now: number): void {
    this.#progressAt = now;
  }

  /**
   * Counts a result that does not complete the current frame. False when there are more than invocations: each counts as
   * progress, so that no timeout would ever end a host that sends them without end.
   */
  countPartialResult(): boolean {
    this.#partialResults += 1;
    return this.#partialResults <= (this.current?.invocations.length ?? 0);
  }

  /** Records what the process has used so far. Returns how much of that is for the current frame, from its first measurement. */
  recordCpu(usedMs: number): number {
    this.#cpuMark ??= usedMs;
    this.#cpuMs = usedMs - this.#cpuMark;
    return this.#cpuMs;
  }

  /** The current frame is answered. CPU that was seen to be used is charged to an invocation that was alone in it. */
  complete(): void {
    const frame = this.#frames.shift();
    if (frame?.invocations.length === 1) frame.invocations[0]?.addCpu(this.#cpuMs);
    this.#beginNext();
  }

  clear(): void {
    this.#frames.length = 0;
  }

  #beginNext(): void {
    this.#runsSince = this.#progressAt;
    this.#partialResults = 0;
    this.#cpuMs = 0;
    this.#cpuMark = null;
  }
}
