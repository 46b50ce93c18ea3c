// One call of a module: its wait for a host, the host that has it, the guest calls and log lines of its current attempt, and its
// result. It leaves its host by itself when it is settled or reset, so that nobody has to tell both.

import { GuestCalls, type PendingGuestCalls } from './guest-calls.ts';
import type { ModuleLimits, ModuleVersion } from './model/module-version.ts';
import type {
  GuestCall,
  GuestCallResult,
  Incident,
  InvocationErrorCode,
  InvocationRequest,
  InvocationResult,
  UsageObserver,
} from './model/sandbox.ts';
import { parseLogEvent } from './protocol/guest-events.ts';

/** Log lines that one invocation may have, whatever its policy. */
export const MAX_LOG_LINES = 100;
/** What the guest side adds to a log that has reached its limit. */
const LOG_SLACK = { lines: 1, characters: 2048 };

/** The frame with which an invocation was sent to a host. */
export interface AssignedFrame {
  /** Number of the module version, the same in every host. */
  readonly moduleNumber: number;
  /** The first frame of its module version in this host. */
  readonly isCold: boolean;
}

/** The host of an invocation, as far as the invocation needs it. */
interface InvocationHost {
  /** When the current time slice began, as far as is known. */
  readonly progressAt: number;
  recordStart(): void;
  /** The invocation has ended, or is taken out of the host as if it had never run. */
  remove(invocation: Invocation): void;
  /** Sends the result of a guest call. */
  reply(invocation: Invocation, callId: number, result: GuestCallResult, now: number): void;
}

/** Counts invocations that make guest calls: they stay in a host after their first time slice. */
export interface GuestCallStats {
  recordGuestCallUse(hasGuestCalls: boolean): void;
}

interface InvocationOptions {
  readonly stats: GuestCallStats;
  readonly pendingGuestCalls: PendingGuestCalls;
  readonly resolve: (result: InvocationResult) => void;
  /** Milliseconds of a steady clock, like all times here. */
  readonly now: number;
  /** Called once, with how long it has waited for its first time slice. */
  readonly onStarted?: UsageObserver['onStarted'] | undefined;
}

/** What one attempt has done. A retry starts with a new one. */
interface Attempt {
  /** Null while it is queued, and once it is settled. */
  host: InvocationHost | null;
  number: number;
  frame: AssignedFrame | null;
  hasStarted: boolean;
  startedAt: number;
  logLines: number;
  logCharacters: number;
  cpuMs: number;
  /** Null until the first guest call. */
  guestCalls: GuestCalls | null;
}

const createAttempt = (): Attempt => ({
  host: null,
  number: 0,
  frame: null,
  hasStarted: false,
  startedAt: 0,
  logLines: 0,
  logCharacters: 0,
  cpuMs: 0,
  guestCalls: null,
});

export class Invocation {
  readonly request: InvocationRequest;
  readonly #stats: GuestCallStats;
  readonly #pendingGuestCalls: PendingGuestCalls;
  readonly #resolve: (result: InvocationResult) => void;
  readonly #calledAt: number;
  #onStarted: InvocationOptions['onStarted'];
  #waitsSince: number;
  #isIsolatedRetry = false;
  #isSettled = false;
  #attempt = createAttempt();

  constructor(
    request: InvocationRequest,
    { stats, pendingGuestCalls, resolve, now, onStarted }: InvocationOptions,
  ) {
    this.request = request;
    this.#stats = stats;
    this.#pendingGuestCalls = pendingGuestCalls;
    this.#resolve = resolve;
    this.#calledAt = now;
    this.#onStarted = onStarted;
    this.#waitsSince = now;
  }

  get moduleVersion(): ModuleVersion {
    return this.request.moduleVersion;
  }

  get limits(): ModuleLimits {
    return this.request.moduleVersion.policy.limits;
  }

  /** Length of its request. */
  get characters(): number {
    return this.request.head.length + this.request.body.length;
  }

  /** Its number in the host that has it; 0 while it is queued. */
  get number(): number {
    return this.#attempt.number;
  }

  /** The frame with which it was sent to its host; null while it is queued. */
  get frame(): AssignedFrame | null {
    return this.#attempt.frame;
  }

  /** The result of its first time slice has been seen. */
  get hasStarted(): boolean {
    return this.#attempt.hasStarted;
  }

  get startedAt(): number {
    return this.#attempt.startedAt;
  }

  /** CPU that its time slices before the current one were seen to use. */
  get cpuMs(): number {
    return this.#attempt.cpuMs;
  }

  /** Its host crashed, and it runs again in a host that it shares with no other invocation, so that the culprit is certain. */
  get isIsolatedRetry(): boolean {
    return this.#isIsolatedRetry;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Running it again changes nothing that was changed already. An isolated retry is not retried. */
  get isRetryable(): boolean {
    return this.#attempt.guestCalls?.hasSideEffects !== true && !this.#isIsolatedRetry;
  }

  /** Since when it waits for a host. */
  get waitsSince(): number {
    return this.#waitsSince;
  }

  /** Restarts the clock of its wait for a host. */
  restartWait(now: number): void {
    this.#waitsSince = now;
  }

  /** Records that it was sent to a host. */
  assign(host: InvocationHost, number: number, frame: AssignedFrame): void {
    this.#attempt.host = host;
    this.#attempt.number = number;
    this.#attempt.frame = frame;
  }

  /** Records its first time slice, which lasted `sliceMs`. Loading its module does not count as its time. Later calls change nothing. */
  start({ now, sliceMs }: { readonly now: number; readonly sliceMs: number }): void {
    const { host, frame, hasStarted } = this.#attempt;
    if (hasStarted || host === null) return;
    this.#attempt.hasStarted = true;
    // Without a module to load, the slice began when the host finished the one before.
    this.#attempt.startedAt = frame?.isCold === true ? now - sliceMs : host.progressAt;
    host.recordStart();
    this.#onStarted?.(Math.max(0, this.#attempt.startedAt - this.#calledAt));
    this.#onStarted = undefined;
  }

  /** Adds CPU that a frame of this invocation alone was seen to use. */
  addCpu(cpuMs: number): void {
    this.#attempt.cpuMs += cpuMs;
  }

  /** Gives up the current attempt and leaves the host, so that the invocation can be queued again. */
  reset(): void {
    this.#attempt.host?.remove(this);
    this.#attempt.guestCalls?.end(0);
    this.#attempt = createAttempt();
  }

  /** Marks it as the retry that shares its host with no other invocation. */
  isolate(): void {
    this.#isIsolatedRetry = true;
  }

  /** Ends it, in its host and for its caller. Later calls change nothing. */
  settle(result: InvocationResult): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#attempt.host?.remove(this);
    this.#attempt.host = null;
    const { hasStarted, guestCalls } = this.#attempt;
    if (hasStarted && guestCalls === null) this.#stats.recordGuestCallUse(false);
    // What it asked for before it responded is still performed, within its wall time.
    guestCalls?.end(result.kind === 'failure' ? 0 : this.limits.wallMs);
    this.#resolve(result);
  }

  /** Passes a log line on. Returns the limit that the line broke, or null. */
  log(head: string): string | null {
    const attempt = this.#attempt;
    attempt.logLines += 1;
    if (attempt.logLines > MAX_LOG_LINES + LOG_SLACK.lines) return 'logLines';
    const record = parseLogEvent(head);
    if (record === null) return 'protocol';
    attempt.logCharacters += record.message.length + (record.stack?.length ?? 0);
    if (attempt.logCharacters > this.limits.logBytes + LOG_SLACK.characters) return 'logBytes';
    this.request.log(record);
    return null;
  }

  /**
   * Performs a guest call, and has the host send its result, unless the invocation was settled or reset meanwhile. Returns the
   * limit that the call broke, or null.
   */
  performGuestCall(id: number, call: GuestCall, now: () => number): string | null {
    const attempt = this.#attempt;
    if (attempt.guestCalls === null) {
      this.#stats.recordGuestCallUse(true);
      attempt.guestCalls = new GuestCalls(this.request, this.#pendingGuestCalls);
    }
    return attempt.guestCalls.perform(call, (result) => attempt.host?.reply(this, id, result, now()));
  }
}

/** A failed result. `message` is for the log of the module. */
export function failedResult(
  code: InvocationErrorCode,
  message: string,
): Extract<InvocationResult, { readonly kind: 'failure' }> {
  return { kind: 'failure', code, message };
}

/** The incident of an invocation that went over a limit. */
export function limitViolation({ moduleVersion }: Invocation, limit: string): Incident {
  const { id: moduleId, version, sha256 } = moduleVersion;
  return { moduleId, version, sha256, kind: 'violation', limit };
}

/** The incident of the isolate that one had for itself, lost at the limit of its heap: no process ends, and it counts as if one had. */
export function isolateLoss(invocation: Invocation): Incident {
  return { ...limitViolation(invocation, 'heapMb'), counts: true };
}
