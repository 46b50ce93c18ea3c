// Timeouts that no guest can evade: wall time, time in the queue, and time slices that do not end.

import type { Host } from './host.ts';
import type { SentFrame } from './host-contents.ts';
import type { ExitCause } from './host-exit.ts';
import { failedResult, type Invocation, limitViolation } from './invocation.ts';
import type { Incident } from './model/sandbox.ts';
import { isWaitingTooLong, WAITED_TOO_LONG } from './module-queue.ts';
import { MIN_MEASURED_MS } from './tuning.ts';

/** What a host may use beyond a limit until it is killed: its own timers should have ended the time slice. */
const GRACE_MS = 250;
/** For compiling a module and creating its isolate, before its first time slice. */
const COLD_START_MS = 500;
/** An invocation whose guest call is answered waits for the time slices of others at most this many times its wall time. */
const MAX_HELD_UP = 2;

const TIMEOUT_MESSAGE = 'The time limit was reached: it did not answer in time';
const TIMED_OUT = failedResult('ENDPOINT_TIMEOUT', TIMEOUT_MESSAGE);

export interface TimeoutDeps {
  readonly onIncident: (incident: Incident) => void;
  /** Milliseconds of CPU that a process has used, null where that cannot be known. */
  readonly cpuMsOf: (pid: number) => number | null;
  readonly kill: (host: Host, cause: ExitCause) => void;
}

const coldStartMs = ({ isCold }: SentFrame) => (isCold ? COLD_START_MS : 0);

/** Records the CPU that the current frame has used since it was first measured. */
function measureCpu({ pid, frames, queue }: Host, now: number, cpuMsOf: TimeoutDeps['cpuMsOf']): void {
  const usedMs = pid === undefined ? null : cpuMsOf(pid);
  if (usedMs === null) return;
  const frameMs = frames.recordCpu(usedMs);
  queue?.recordLongSlice(frameMs, now);
}

/**
 * Why the current frame has to be ended from outside, if so. Results that the host sends meanwhile restart neither clock: all
 * invocations of a frame together have the CPU and the wall time of one, and one that comes back to its host has what it has
 * left.
 */
function exitCauseOfTimeout(host: Host, now: number, { cpuMsOf }: TimeoutDeps): ExitCause | null {
  const { frames } = host;
  const { current } = frames;
  const [first] = current?.invocations ?? [];
  if (current === undefined || first === undefined || now - frames.runsSince < MIN_MEASURED_MS) return null;
  measureCpu(host, now, cpuMsOf);
  const grace = GRACE_MS + coldStartMs(current);
  const killed = { code: 'ENDPOINT_TIMEOUT', kind: 'kill', message: TIMEOUT_MESSAGE } as const;
  if (frames.cpuMs + first.cpuMs > first.limits.cpuMs + grace) return { ...killed, limit: 'cpuMs' };
  const wallFrom = current.isDelivery ? first.startedAt : frames.runsSince;
  const isOver = now > wallFrom + first.limits.wallMs + grace && now - frames.runsSince > GRACE_MS;
  return isOver ? { ...killed, limit: 'wallMs' } : null;
}

/** The only invocation that the current frame can be running, if it has not started yet. */
function onlyUnstarted(current: SentFrame): Invocation | undefined {
  const running = current.invocations.filter(
    ({ isSettled, hasStarted }) => !isSettled && (current.isDelivery || !hasStarted),
  );
  return running.length === 1 && running[0]?.hasStarted === false ? running[0] : undefined;
}

/**
 * Whether an invocation has the answer of a guest call in the pipe, behind time slices of others, or has only just got it: that time
 * is not its own.
 */
function isHeldUp({ frames }: Host, invocation: Invocation, now: number): boolean {
  if (now - invocation.startedAt > MAX_HELD_UP * invocation.limits.wallMs) return false;
  const isItsAnswer = ({ isDelivery, invocations }: SentFrame) => isDelivery && invocations[0] === invocation;
  if (frames.queued.some(isItsAnswer)) return true;
  return frames.current !== undefined && isItsAnswer(frames.current) && now - frames.runsSince <= GRACE_MS;
}

/** Frames in the pipe behind a long time slice wait for a host like invocations in the queue. */
function rejectExpiredFrames(host: Host, now: number): void {
  for (const { isDelivery, invocations } of host.frames.queued) {
    if (isDelivery) continue;
    for (const invocation of invocations) {
      if (invocation.isSettled || invocation.hasStarted || !isWaitingTooLong(invocation, now)) continue;
      invocation.settle(WAITED_TOO_LONG);
      host.cancel(invocation);
    }
  }
}

/** Settles invocations whose wall time is over, and kills a host whose time slice does not end. */
export function checkTimeouts(host: Host, now: number, deps: TimeoutDeps): void {
  const { current, progressAt } = host.frames;
  const cause = exitCauseOfTimeout(host, now, deps);
  if (cause !== null) {
    deps.kill(host, cause);
    return;
  }
  const timeOut = (invocation: Invocation) => {
    deps.onIncident(limitViolation(invocation, 'wallMs'));
    invocation.settle(TIMED_OUT);
  };
  const unstarted = current === undefined ? undefined : onlyUnstarted(current);
  for (const invocation of host.invocations.values()) {
    if (!invocation.hasStarted || now - invocation.startedAt <= invocation.limits.wallMs) continue;
    if (isHeldUp(host, invocation, now)) continue;
    timeOut(invocation);
    // If it is its time slice, the host ends it, or is killed.
    host.cancel(invocation);
  }
  if (current !== undefined && unstarted !== undefined) {
    if (now - progressAt > unstarted.limits.wallMs + coldStartMs(current)) timeOut(unstarted);
  }
  rejectExpiredFrames(host, now);
}
