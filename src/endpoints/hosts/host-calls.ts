// Serves what a request asks of the server. Timers are served here; all else by whoever made the job.
import type { HostAnswer, HostCall } from '../sandbox.ts';
import { parseTimer } from './guest-events.ts';
import { deliver, TIMERS } from './handover.ts';
import { noteWaiting } from './lane.ts';
import type { Host, Request } from './state.ts';

/** Longest text that goes into an isolate. */
const MAX_ANSWER = 10_485_760;
/** Calls that a request may make again when it has to start over. */
const REPEATABLE: ReadonlySet<string> = new Set(['timer', 'model.find', 'model.count', 'model.stats']);

const TOO_LARGE: HostAnswer = {
  ok: false,
  text: JSON.stringify({ code: 'RESULT_TOO_LARGE', message: 'The result is too large' }),
};
const FAILED: HostAnswer = {
  ok: false,
  text: JSON.stringify({ code: 'INTERNAL', message: 'The call failed' }),
};
const RANG: HostAnswer = { ok: true, text: 'null' };

async function serve({ job }: Request, call: HostCall, signal: AbortSignal): Promise<HostAnswer> {
  try {
    const answer = await job.serve(call, signal);
    return answer.text.length > MAX_ANSWER ? TOO_LARGE : answer;
  } catch {
    return FAILED;
  }
}

/** Counts a call. False: the guest side of the sandbox would never have let it through. */
function count(request: Request, { name }: HostCall): boolean {
  if (!REPEATABLE.has(name)) request.hasActed = true;
  if (name === 'timer') {
    request.timerCalls += 1;
    return request.timerCalls <= TIMERS;
  }
  request.calls += 1;
  return request.calls <= request.job.unit.policy.limits.hostCalls;
}

/** Starts what a request asked for. Returns the limit that the call went over, or null. */
export function serveCall(
  host: Host,
  request: Request,
  { id, call, now }: { readonly id: number; readonly call: HostCall; readonly now: () => number },
): string | null {
  if (request.calls + request.timerCalls === 0) noteWaiting(request.lane, true);
  if (!count(request, call)) return 'hostCalls';
  const { number } = request;
  const answer = (reply: HostAnswer) => {
    // Meanwhile it may be over, or in another host.
    if (host.requests.get(number) !== request || host.state === 'dead') return;
    deliver(host, request, { ...reply, call: id, now: now() });
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
