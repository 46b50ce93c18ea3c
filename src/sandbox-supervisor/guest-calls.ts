// Guest calls of invocations: counted against their limits, aborted with the invocation, or together for a whole module.

import { createSemaphore } from '../lib/async/concurrency.ts';
import { yieldToEventLoop } from '../lib/async/maybe-promise.ts';
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
const REPEATABLE: ReadonlySet<string> = new Set([
  ...['timer', 'model.find', 'model.count', 'model.stats'],
  ...['bcrypt.hash', 'bcrypt.compare', 'bcrypt.salt'],
]);

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

/** The guest calls of one attempt to run an invocation. Timers are served here, all else by the request. */
export class GuestCalls {
  readonly #request: GuestCallTarget;
  readonly #pendingOfModules: PendingGuestCalls;
  readonly #controller = new AbortController();
  readonly #inTurn = createSemaphore(MAX_AT_ONCE);
  readonly #pending = new Set<Promise<void>>();
  #callCount = 0;
  #timerCount = 0;
  #hasSideEffects = false;
  #hasEnded = false;
  #timers: Set<NodeJS.Timeout> | null = null;

  constructor(request: GuestCallTarget, pendingOfModules: PendingGuestCalls) {
    this.#request = request;
    this.#pendingOfModules = pendingOfModules;
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
    const mustYield = this.#callCount > MAX_AT_ONCE;
    const ended = this.#inTurn(() => this.#answer(call, mustYield)).then((result) => {
      this.#pending.delete(ended);
      if (this.#pending.size === 0) this.#pendingOfModules.delete(this.#request.moduleVersion.id, this);
      finish(result);
    });
    this.#pending.add(ended);
    this.#pendingOfModules.add(this.#request.moduleVersion.id, this);
    return null;
  }

  /** Clears timers and aborts what is pending: at once, or after `graceMs` so that it can complete. */
  end(graceMs: number): void {
    this.#hasEnded = true;
    if (graceMs > 0 && this.#pending.size > 0) setTimeout(() => this.#controller.abort(), graceMs).unref();
    else this.#controller.abort();
    for (const timer of this.#timers ?? []) clearTimeout(timer);
  }

  /** Aborts what is pending. Resolves when all of it has ended. */
  async abort(): Promise<void> {
    this.#controller.abort();
    await Promise.all(this.#pending);
  }

  /** Never rejects. */
  async #answer(call: GuestCall, mustYield: boolean): Promise<GuestCallResult> {
    const { signal } = this.#controller;
    try {
      if (mustYield) await yieldToEventLoop();
      signal.throwIfAborted();
      const result = await this.#request.performGuestCall(call, signal);
      return result.text.length > MAX_RESULT_CHARACTERS ? TOO_LARGE : result;
    } catch {
      return FAILED;
    }
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

/** Knows the invocations of each module that have pending guest calls, so that those of a suspended one can be aborted together. */
export class PendingGuestCalls {
  readonly #byModule = new Map<string, Set<GuestCalls>>();

  add(moduleId: string, calls: GuestCalls): void {
    const known = this.#byModule.get(moduleId);
    if (known === undefined) this.#byModule.set(moduleId, new Set([calls]));
    else known.add(calls);
  }

  delete(moduleId: string, calls: GuestCalls): void {
    const known = this.#byModule.get(moduleId);
    known?.delete(calls);
    if (known?.size === 0) this.#byModule.delete(moduleId);
  }

  /** Aborts the calls of a module. Resolves when all of them have ended, or after `timeoutMs`. */
  async abort(moduleId: string, timeoutMs: number): Promise<void> {
    const pending = [...(this.#byModule.get(moduleId) ?? [])];
    if (pending.length === 0) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs).unref();
    await Promise.race([Promise.all(pending.map((calls) => calls.abort())), timeout]);
    clearTimeout(timer);
  }
}
