// The clocks that no guest can stop: wall time, the time in the queue, and turns that do not come back.

import type { ExitCause } from './crash-attribution.ts';
import { sendCancel } from './host.ts';
import { failedOutcome, incidentFor, settle } from './invocation.ts';
import { isWaitingTooLong, recordLongSlice } from './module-queue.ts';
import type { Incident } from './sandbox.ts';
import type { Host, Invocation, ModuleQueue, RunFrame } from './state.ts';

/** What a host may use beyond a limit, until it is killed: its own clocks should have ended the turn. */
const GRACE_MS = 250;
/** For compiling a module and making its isolate, before the first turn in it. */
const LOAD_MS = 500;
/** From this age on it is asked what a turn costs. */
const MIN_CHECK_AGE_MS = 50;

export interface TimeoutDeps {
  readonly onIncident: (incident: Incident) => void;
  /** Milliseconds of CPU that a process has used, null where that cannot be known. */
  readonly cpuMs: (pid: number) => number | null;
  readonly kill: (host: Host, cause: ExitCause) => void;
}

const TIMEOUT_MESSAGE = 'The time limit was reached: it did not answer in time';

function limitsOf(request: Invocation) {
  return request.job.unit.policy.limits;
}

/** The requests of the present turn that it may be the turn of. */
function running(host: Host): readonly Invocation[] {
  const frame = host.frames[0];
  if (frame === undefined) return [];
  return frame.requests.filter((request) => !request.over && (frame.isDelivery || !request.begun));
}

/** CPU of the present frame, from when it was first looked at; null when it cannot be known. */
function cpuOfFrame(host: Host, now: number, cpuMs: TimeoutDeps['cpuMs']): number | null {
  const pid = host.link.pid();
  const used = pid === undefined ? null : cpuMs(pid);
  if (used === null) return null;
  host.cpuMark ??= { at: now, cpuMs: used };
  return used - host.cpuMark.cpuMs;
}

const loadMs = ({ isCold }: RunFrame) => (isCold ? LOAD_MS : 0);

/**
 * Why the present frame has to be ended from outside, if so; what it costs is noted. What a host says in between moves neither
 * clock: all requests of a frame together have the CPU and the wall time of one, and one that comes back to its host has what
 * it has left.
 */
function timeoutCause(host: Host, now: number, { cpuMs }: TimeoutDeps): ExitCause | null {
  const frame = host.frames[0];
  const [first] = frame?.requests ?? [];
  if (frame === undefined || first === undefined || now - frame.since < MIN_CHECK_AGE_MS) return null;
  const limits = limitsOf(first);
  const used = cpuOfFrame(host, now, cpuMs);
  if (used !== null) {
    frame.cpuMs = used;
    if (host.lane !== null) recordLongSlice(host.lane, used, now);
  }
  const grace = GRACE_MS + loadMs(frame);
  const killed = { code: 'ENDPOINT_TIMEOUT', kind: 'kill', message: TIMEOUT_MESSAGE } as const;
  if (frame.cpuMs + first.cpuMs > limits.cpuMs + grace) return { ...killed, limit: 'cpuMs' };
  const wallFrom = frame.isDelivery ? first.startedAt : frame.since;
  const isOver = now > wallFrom + limits.wallMs + grace && now - frame.since > GRACE_MS;
  return isOver ? { ...killed, limit: 'wallMs' } : null;
}

function timeOut(host: Host, request: Invocation, deps: TimeoutDeps): void {
  deps.onIncident(incidentFor(request, 'violation', 'wallMs'));
  settle(host, request, failedOutcome('ENDPOINT_TIMEOUT', TIMEOUT_MESSAGE));
}

/** Ends requests whose wall time is over, and hosts whose turn is. */
export function checkHost(host: Host, now: number, deps: TimeoutDeps): void {
  const frame = host.frames[0];
  const runningMs = frame === undefined ? 0 : now - host.progressAt;
  const cause = timeoutCause(host, now, deps);
  if (cause !== null) {
    deps.kill(host, cause);
    return;
  }
  const present = running(host);
  for (const request of host.requests.values()) {
    if (!request.begun || now - request.startedAt <= limitsOf(request).wallMs) continue;
    timeOut(host, request, deps);
    // If it is its turn the host finds out by itself, or is killed.
    sendCancel(host, request);
  }
  const [only] = present;
  if (frame !== undefined && present.length === 1 && only !== undefined && !only.begun) {
    if (runningMs > limitsOf(only).wallMs + loadMs(frame)) timeOut(host, only, deps);
  }
  watchPipe(host, now);
}

/** Requests that lie in the pipe behind a long turn wait for a host like those in the queue. */
function watchPipe(host: Host, now: number): void {
  for (const frame of host.frames.slice(1)) {
    if (frame.isDelivery) continue;
    for (const request of frame.requests) {
      if (request.over || request.begun || !isWaitingTooLong(request, now)) continue;
      settle(host, request, BUSY);
      sendCancel(host, request);
    }
  }
}

const BUSY = failedOutcome('ENDPOINT_BUSY', 'It waited too long for a host');

/** Ends requests that have waited in the queue for too long. */
export function checkQueue(lane: ModuleQueue, now: number): void {
  for (const request of lane.queue) if (isWaitingTooLong(request, now)) settle(null, request, BUSY);
  const kept = lane.queue.filter(({ over }) => !over);
  if (kept.length < lane.queue.length) lane.queue.splice(0, Number.POSITIVE_INFINITY, ...kept);
}
