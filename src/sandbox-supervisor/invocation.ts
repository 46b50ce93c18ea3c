// The life of one request: it begins in a host, and it ends once; it may be sent to another host before that.

import { recordHostCallUse } from './module-queue.ts';
import type { FailureCode, Incident, InvocationResult } from './sandbox.ts';
import type { Host, Invocation } from './state.ts';

/** Its first turn, which ended at `now`, has been seen. Loading its module does not count as its time. */
export function start(
  host: Host,
  request: Invocation,
  { now, turnMs }: { readonly now: number; readonly turnMs: number },
): void {
  if (request.begun) return;
  request.begun = true;
  // The host had got ahead the last time when the turn started, if there was nothing to load.
  request.startedAt = request.frame?.isCold === true ? now - turnMs : host.progressAt;
  host.begun += 1;
}

/** Ends what the request asked of the server. What it asked before it answered is performed still, within its wall time. */
function endCalls(request: Invocation, hasAnswered: boolean): void {
  const { controller } = request;
  if (hasAnswered && request.inFlight > 0) {
    setTimeout(() => controller?.abort(), request.job.unit.policy.limits.wallMs).unref();
  } else controller?.abort();
  request.controller = null;
  for (const timer of request.timers ?? []) clearTimeout(timer);
  request.timers = null;
}

function leave(host: Host, request: Invocation): void {
  host.requests.delete(request.number);
  if (request.begun) host.begun -= 1;
}

/** The request is over. `host`: the one that had it, if any. Later calls change nothing. */
export function settle(host: Host | null, request: Invocation, outcome: InvocationResult): void {
  if (request.over) return;
  request.over = true;
  if (request.begun && request.calls + request.timerCalls === 0) recordHostCallUse(request.lane, false);
  if (host !== null) leave(host, request);
  endCalls(request, outcome.kind !== 'failure');
  request.resolve(outcome);
}

/** Takes a request out of its host, as if it had never begun. It is queued again by whoever calls. */
export function resetForRequeue(host: Host, request: Invocation): void {
  leave(host, request);
  endCalls(request, false);
  request.number = 0;
  request.frame = null;
  request.begun = false;
  request.startedAt = 0;
  request.hasActed = false;
  request.calls = 0;
  request.timerCalls = 0;
  request.logLines = 0;
  request.logLength = 0;
  request.cpuMs = 0;
  request.inFlight = 0;
}

/** The end of a request that failed. `message` is for the log of its module. */
export function failedOutcome(
  code: FailureCode,
  message: string,
): Extract<InvocationResult, { readonly kind: 'failure' }> {
  return { kind: 'failure', code, message };
}

/** What is told to reviewers of a request that went over a limit or ended its process. */
export function incidentFor({ job }: Invocation, kind: Incident['kind'], limit: string): Incident {
  const { id: unitId, version, sha256 } = job.unit;
  return { unitId, version, sha256, kind, limit };
}
