// Serves what a request asks of the server. Timers are served here; all else by whoever made the job.

import { MAX_TIMERS, sendHostCallResult } from './host.ts';
import { recordHostCallUse } from './module-queue.ts';
import { parseTimer } from './protocol/guest-events.ts';
import type { HostCall, HostCallResult } from './sandbox.ts';
import type { Host, Invocation } from './state.ts';

/** Longest text that goes into an isolate. */
const MAX_RESULT_CHARACTERS = 10_485_760;
/** Calls that a request may make again when it has to start over. */
const REPEATABLE: ReadonlySet<string> = new Set(['timer', 'model.find', 'model.count', 'model.stats']);

const TOO_LARGE: HostCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'RESULT_TOO_LARGE', message: 'The result is too large' }),
};
const FAILED: HostCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'INTERNAL', message: 'The call failed' }),
};
const RANG: HostCallResult = { ok: true, text: 'null' };

async function serve({ job }: Invocation, call: HostCall, signal: AbortSignal): Promise<HostCallResult> {
  try {
    const answer = await job.serve(call, signal);
    return answer.text.length > MAX_RESULT_CHARACTERS ? TOO_LARGE : answer;
  } catch {
    return FAILED;
  }
}

/** Counts a call. False: the guest side of the sandbox would never have let it through. */
function count(request: Invocation, { name }: HostCall): boolean {
  if (!REPEATABLE.has(name)) request.hasActed = true;
  if (name === 'timer') {
    request.timerCalls += 1;
    return request.timerCalls <= MAX_TIMERS;
  }
  request.calls += 1;
  return request.calls <= request.job.unit.policy.limits.hostCalls;
}

/** Starts what a request asked for. Returns the limit that the call went over, or null. */
export function serveCall(
  host: Host,
  request: Invocation,
  { id, call, now }: { readonly id: number; readonly call: HostCall; readonly now: () => number },
): string | null {
  if (request.calls + request.timerCalls === 0) recordHostCallUse(request.lane, true);
  if (!count(request, call)) return 'hostCalls';
  const { number } = request;
  const answer = (reply: HostCallResult) => {
    // Meanwhile it may be over, or in another host.
    if (host.requests.get(number) !== request || host.state === 'dead') return;
    sendHostCallResult(host, request, { ...reply, call: id, now: now() });
  };
  if (call.name !== 'timer') {
    request.controller ??= new AbortController();
    request.inFlight += 1;
    void serve(request, call, request.controller.signal).then((reply) => {
      if (host.requests.get(number) === request) request.inFlight -= 1;
      answer(reply);
    });
    return null;
  }
  const ms = parseTimer(call.args);
  if (ms === null) return 'protocol';
  request.timers ??= new Set();
  const { timers } = request;
  const timer = setTimeout(
    () => {
      timers.delete(timer);
      answer(RANG);
    },
    Math.min(ms, request.job.unit.policy.limits.wallMs),
  );
  timers.add(timer);
  return null;
}
