// Host calls of invocations: counted against their limits, aborted with the invocation, or together for a whole module.

import type { HostCall, HostCallResult, InvocationRequest } from './model/sandbox.ts';
import { parseTimer } from './protocol/guest-events.ts';

/** Timers that one invocation may have, whatever its policy. */
export const MAX_TIMERS = 20;
/** Longest JSON text that is sent into an isolate. */
const MAX_RESULT_CHARACTERS = 10_485_760;
/** Host calls without side effects: an invocation that made only these may be retried. */
const REPEATABLE: ReadonlySet<string> = new Set(['timer', 'model.find', 'model.count', 'model.stats']);

const TOO_LARGE: HostCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'RESULT_TOO_LARGE', message: 'The result is too large' }),
};
const FAILED: HostCallResult = {
  ok: false,
  text: JSON.stringify({ code: 'INTERNAL', message: 'The call failed' }),
};
const TIMER_FIRED: HostCallResult = { ok: true, text: 'null' };

/** What performs the host calls of an invocation. */
type HostCallTarget = Pick<InvocationRequest, 'moduleVersion' | 'performHostCall'>;

async function performHostCall(
  request: HostCallTarget,
  call: HostCall,
  signal: AbortSignal,
): Promise<HostCallResult> {
  try {
    const result = await request.performHostCall(call, signal);
    return result.text.length > MAX_RESULT_CHARACTERS ? TOO_LARGE : result;
  } catch {
    return FAILED;
  }
}

/** The host calls of one attempt to run an invocation. Timers are served here, all else by the request. */
export class HostCalls {
  readonly #request: HostCallTarget;
  #callCount = 0;
  #timerCount = 0;
  #pending = 0;
  #hasSideEffects = false;
  #hasEnded = false;
  #controller: AbortController | null = null;
  #timers: Set<NodeJS.Timeout> | null = null;

  constructor(request: HostCallTarget) {
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
  perform(call: HostCall, reply: (result: HostCallResult) => void): string | null {
    if (!this.#admit(call.name)) return 'hostCalls';
    const finish = (result: HostCallResult) => {
      if (!this.#hasEnded) reply(result);
    };
    if (call.name === 'timer') return this.#setTimer(call.args, finish);
    this.#controller ??= new AbortController();
    this.#pending += 1;
    void performHostCall(this.#request, call, this.#controller.signal).then((result) => {
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

  #setTimer(args: string, finish: (result: HostCallResult) => void): string | null {
    const ms = parseTimer(args);
    if (ms === null) return 'protocol';
    this.#timers ??= new Set();
    const timers = this.#timers;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        finish(TIMER_FIRED);
      },
      Math.min(ms, this.#request.moduleVersion.policy.limits.wallMs),
    );
    timers.add(timer);
    return null;
  }
}

export interface PendingHostCalls {
  /** Performs the same host calls, and tracks them. */
  track(request: HostCallTarget): HostCallTarget;
  /** Aborts the calls of a module. Resolves when all of them have ended, or after `timeoutMs`. */
  abort(moduleId: string, timeoutMs: number): Promise<void>;
}

interface PendingCall {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** Tracks the host calls of each module, so that those of a suspended one can be aborted together. */
export function createPendingHostCalls(): PendingHostCalls {
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
    track: (request) => ({
      moduleVersion: request.moduleVersion,
      performHostCall(call, signal) {
        const controller = new AbortController();
        const abort = () => controller.abort();
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort, { once: true });
        const ended = request.performHostCall(call, controller.signal);
        const remove = add(request.moduleVersion.id, { controller, ended });
        return ended.finally(() => {
          signal.removeEventListener('abort', abort);
          remove();
        });
      },
    }),
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
