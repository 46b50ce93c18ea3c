import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GuestCalls, PendingGuestCalls } from '../../src/sandbox-supervisor/guest-calls.ts';
import type { GuestCallResult, InvocationRequest } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createModuleVersion, invocationRequest } from '../helpers/sandbox/sandbox.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function callsOf(request: Partial<InvocationRequest> = {}) {
  const unit = createModuleVersion('code', { limits: { hostCalls: 2, wallMs: 100 } });
  const calls = new GuestCalls(invocationRequest(unit, request), new PendingGuestCalls());
  const replies: GuestCallResult[] = [];
  const perform = (name: string, args = '{}') =>
    calls.perform({ name, args }, (result) => replies.push(result));
  return { calls, perform, replies };
}

describe('guest calls', () => {
  it('are performed by the request', async () => {
    const { perform, replies } = callsOf({
      performGuestCall: async ({ name }) => ({ ok: true, text: name }),
    });
    expect(perform('model.find')).toBeNull();
    await vi.runAllTimersAsync();
    expect(replies).toEqual([{ ok: true, text: 'model.find' }]);
  });

  it('break a limit when there are too many', () => {
    const { perform, calls } = callsOf();
    expect(['fetch', 'fetch', 'fetch'].map((name) => perform(name))).toEqual([null, null, 'hostCalls']);
    expect(calls.count).toBe(3);
  });

  it.each([
    ['timer', false],
    ['model.find', false],
    ['model.count', false],
    ['model.stats', false],
    ['model.create', true],
    ['fetch', true],
  ] as const)('such as %s have side effects: %s', (name, hasSideEffects) => {
    const { perform, calls } = callsOf();
    perform(name, '{"ms":1}');
    expect(calls.hasSideEffects).toBe(hasSideEffects);
  });

  it('that throw, or have a result that is too large, fail without a word of why', async () => {
    const failing = callsOf({
      performGuestCall: () => {
        throw new Error('secret path');
      },
    });
    failing.perform('model.find');
    const huge = callsOf({ performGuestCall: async () => ({ ok: true, text: 'x'.repeat(10_485_761) }) });
    huge.perform('model.find');
    await vi.runAllTimersAsync();
    expect(failing.replies).toEqual([{ ok: false, text: '{"code":"INTERNAL","message":"The call failed"}' }]);
    expect(huge.replies).toEqual([{ ok: false, text: expect.stringContaining('RESULT_TOO_LARGE') }]);
  });
});

describe('timers', () => {
  it('fire after their time, but not within the wall time if they are longer', () => {
    const { perform, replies } = callsOf();
    perform('timer', '{"ms":20}');
    perform('timer', '{"ms":1000000}');
    vi.advanceTimersByTime(19);
    expect(replies).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(replies).toEqual([{ ok: true, text: 'null' }]);
    vi.advanceTimersByTime(80 + 999);
    expect(replies).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(replies).toHaveLength(2);
  });

  it('break a limit when there are too many, apart from other calls', () => {
    const { perform } = callsOf();
    const results = Array.from({ length: 21 }, () => perform('timer', '{"ms":1}'));
    expect(results).toEqual([...Array.from({ length: 20 }, () => null), 'hostCalls']);
    expect(perform('model.find')).toBeNull();
  });

  it('break the protocol without a time', () => {
    expect(callsOf().perform('timer')).toBe('protocol');
  });
});

describe('the pending guest calls of a module', () => {
  const CALL = { name: 'model.update', args: '{}' };
  const LONG_MS = 60_000;

  /** A request whose guest calls end when the test says so. */
  function slowRequest(id: string) {
    const signals: AbortSignal[] = [];
    const ends: (() => void)[] = [];
    const serve = (_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<GuestCallResult>((resolve) => {
        ends.push(() => resolve({ ok: true, text: '{}' }));
      });
    };
    return {
      request: invocationRequest(createModuleVersion('', { id, limits: { hostCalls: 100 } }), {
        performGuestCall: serve,
      }),
      signals,
      ends,
    };
  }
  /** Starts so many calls of one invocation. */
  function start(pending: PendingGuestCalls, { request }: ReturnType<typeof slowRequest>, count = 1) {
    const calls = new GuestCalls(request, pending);
    const replies: GuestCallResult[] = [];
    for (let n = 0; n < count; n += 1) calls.perform(CALL, (result) => replies.push(result));
    return { calls, replies };
  }
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('are aborted together, and waited for', async () => {
    const pending = new PendingGuestCalls();
    const [a, b] = [slowRequest('endpoint:1.0/a'), slowRequest('endpoint:1.0/b')];
    for (const request of [a, a, b]) start(pending, request);
    await settled();
    let isOver = false;
    const over = pending.abort('endpoint:1.0/a', LONG_MS).then(() => {
      isOver = true;
    });
    expect([...a.signals, ...b.signals].map(({ aborted }) => aborted)).toEqual([true, true, false]);
    a.ends[0]?.();
    await settled();
    expect(isOver).toBe(false);
    a.ends[1]?.();
    await over;
  });

  it('are waited for until the time limit', async () => {
    const pending = new PendingGuestCalls();
    const slow = slowRequest('endpoint:1.0/a');
    start(pending, slow);
    await settled();
    const aborted = pending.abort('endpoint:1.0/a', 10);
    await vi.advanceTimersByTimeAsync(10);
    await aborted;
    expect(slow.signals[0]?.aborted).toBe(true);
  });

  it('are aborted with their invocation too, and forgotten when they have ended', async () => {
    const pending = new PendingGuestCalls();
    const slow = slowRequest('endpoint:1.0/a');
    const { calls, replies } = start(pending, slow);
    await settled();
    calls.end(0);
    expect(slow.signals[0]?.aborted).toBe(true);
    slow.ends[0]?.();
    await settled();
    await pending.abort('endpoint:1.0/a', LONG_MS);
    expect(replies).toEqual([]);
  });

  it('are performed sixteen at a time, and those that wait are not performed once they are aborted', async () => {
    const pending = new PendingGuestCalls();
    const slow = slowRequest('endpoint:1.0/a');
    const { replies } = start(pending, slow, 40);
    await settled();
    expect(slow.signals).toHaveLength(16);
    slow.ends[0]?.();
    await vi.waitFor(() => expect(slow.signals).toHaveLength(17));
    const over = pending.abort('endpoint:1.0/a', LONG_MS);
    for (const end of slow.ends) end();
    await vi.advanceTimersByTimeAsync(10);
    await over;
    expect(slow.signals).toHaveLength(17);
    expect(replies.filter(({ ok }) => !ok)).toHaveLength(23);
  });
});
