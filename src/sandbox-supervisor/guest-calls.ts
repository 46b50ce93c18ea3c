// Guest calls of invocations: counted against their limits, aborted with the invocation, or together for a whole module.

import { createSemaphore } from '../lib/async/concurrency.ts';
import { yieldToEventLoop } from '../lib/async/maybe-promise.ts';
import { onceAborted } from '../lib/streams/ownership.ts';
import type { GuestCall, GuestCallResult, InvocationRequest } from './model/sandbox.ts';
import { parseTimer } from './protocol/guest-events.ts';

/** Timers that one invocation may have, whatever its policy. */
export const MAX_TIMERS = 20;
/** Guest calls of one invocation that are performed at a time: the others wait, and the event loop goes round between them. */
const MAX_AT_ONCE = 16;
/** Milliseconds by which a timer that is too long would be late. */
const LATE_MS = 1000;
/** Longest JSON text that is sent into an isolate. */
const MAX_RESULT_CHARACTERS = 10_485_760;
/** Guest calls without side effects: an invocation that made only these may be retried. */
const REPEATABLE: ReadonlySet<string> = new Set(['timer', 'model.find', 'model.count', 'model.stats']);

const TOO_LARGE: GuestCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'RESULT_TOO_LARGE', message: 'The result is too large' }),
};
const FAILED: GuestCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'INTERNAL', message: 'The call failed' }),
};
const TIMER_FIRED: GuestCallResult = { ok: true, text: 'null' };

/** What performs the guest calls of an invocation. */
type GuestCallTarget = Pick<InvocationRequest, 'moduleVersion' | 'performGuestCall'>;

async function requestCapability(
  request: GuestCallTarget,
  call: GuestCall,
  signal: AbortSignal,
): Promise<GuestCallResult> {
  try {
    const result = await request.performGuestCall(call, signal);
    return result.text.length > MAX_RESULT_CHARACTERS ? TOO_LARGE : result;
  } catch {
    return FAILED;
  }
}

/** The guest calls of one attempt to run an invocation. Timers are served here, all else by the request. */
export class GuestCalls {
  readonly #request: GuestCallTarget;
  #callCount = 0;
  #timerCount = 0;
  #pending = 0;
  #hasSideEffects = false;
  #hasEnded = false;
  #controller: AbortController | null = null;
  #timers: Set<NodeJS.Timeout> | null = null;

  constructor(request: GuestCallTarget) {
    this.#request = request;
  }

  /** Calls and timers so far. */
  get count(): number {
    return this.#callCount + this.#timerCount;
  }

  /** One of them must not be repeated. */
  get hasSideEffects(): boolean {
    return this.#hasSideEffects;
  }

  /** Starts a call and passes its result to `reply`, unless `end` comes first. Returns the limit that the call broke, or null. */
  perform(call: GuestCall, reply: (result: GuestCallResult) => void): string | null {
    if (!this.#admit(call.name)) return 'hostCalls';
    const finish = (result: GuestCallResult) => {
      if (!this.#hasEnded) reply(result);
    };
    if (call.name === 'timer') return this.#setTimer(call.args, finish);
    this.#controller ??= new AbortController();
    this.#pending += 1;
    void requestCapability(this.#request, call, this.#controller.signal).then((result) => {
      this.#pending -= 1;
      finish(result);
    });
    return null;
  }

  /** Clears timers and aborts what is pending: at once, or after `graceMs` so that it can complete. */
  end(graceMs: number): void {
    this.#hasEnded = true;
    const controller = this.#controller;
    if (graceMs > 0 && this.#pending > 0) setTimeout(() => controller?.abort(), graceMs).unref();
    else controller?.abort();
    for (const timer of this.#timers ?? []) clearTimeout(timer);
  }

  /** Counts a call. False when the guest side of the sandbox would have rejected it. */
  #admit(name: string): boolean {
    if (!REPEATABLE.has(name)) this.#hasSideEffects = true;
    if (name === 'timer') {
      this.#timerCount += 1;
      return this.#timerCount <= MAX_TIMERS;
    }
    this.#callCount += 1;
    return this.#callCount <= this.#request.moduleVersion.policy.limits.hostCalls;
  }

  #setTimer(args: string, finish: (result: GuestCallResult) => void): string | null {
    const ms = parseTimer(args);
    if (ms === null) return 'protocol';
    const { wallMs } = this.#request.moduleVersion.policy.limits;
    this.#timers ??= new Set();
    const timers = this.#timers;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        finish(TIMER_FIRED);
      },
      // One that lasts as long as the request may is not in time: the request ends before.
      ms < wallMs ? ms : wallMs + LATE_MS,
    );
    timers.add(timer);
    return null;
  }
}

export interface PendingGuestCalls {
  /** Performs the same guest calls, and tracks them. */
  track(request: GuestCallTarget): GuestCallTarget;
  /** Aborts the calls of a module. Resolves when all of them have ended, or after `timeoutMs`. */
  abort(moduleId: string, timeoutMs: number): Promise<void>;
}

interface PendingCall {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Tracks the guest calls of each module, so that those of a suspended one can be aborted together. */
export function createPendingGuestCalls(): PendingGuestCalls {
  const callsByModule = new Map<string, Set<PendingCall>>();

  const add = (moduleId: string, call: PendingCall) => {
    const calls = callsByModule.get(moduleId) ?? new Set();
    callsByModule.set(moduleId, calls.add(call));
    return () => {
      calls.delete(call);
      if (calls.size === 0 && callsByModule.get(moduleId) === calls) callsByModule.delete(moduleId);
    };
  };

  return {
    track(request) {
      const inTurn = createSemaphore(MAX_AT_ONCE);
      let count = 0;
      const performInTurn = (call: GuestCall, signal: AbortSignal) =>
        inTurn(async () => {
          count += 1;
          if (count > MAX_AT_ONCE) {
            await yieldToEventLoop();
            signal.throwIfAborted();
          }
          return request.performGuestCall(call, signal);
        });
      const trackedCall = (call: GuestCall, signal: AbortSignal) => {
        const controller = new AbortController();
        const ignoreAbort = onceAborted(signal, () => controller.abort());
        const ended = performInTurn(call, controller.signal);
        const remove = add(request.moduleVersion.id, { controller, ended });
        return ended.finally(() => {
          ignoreAbort();
          remove();
        });
      };
      return { moduleVersion: request.moduleVersion, performGuestCall: trackedCall };
    },
    async abort(moduleId, timeoutMs) {
      const calls = [...(callsByModule.get(moduleId) ?? [])];
      if (calls.length === 0) return;
      for (const { controller } of calls) controller.abort();
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs).unref();
      await Promise.race([Promise.allSettled(calls.map(({ ended }) => ended)), timeout]);
      clearTimeout(timer);
    },
  };
}
