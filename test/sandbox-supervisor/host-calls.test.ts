import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendInvocations } from '../../src/sandbox-supervisor/host.ts';
import { serveCall } from '../../src/sandbox-supervisor/host-calls.ts';
import type { InvocationRequest } from '../../src/sandbox-supervisor/sandbox.ts';
import { fakeHost, fakeInvocation, fakeQueue } from '../helpers/fake-host.ts';
import { createModuleVersion, invocationInput } from '../helpers/sandbox.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function hostOf(job: Partial<InvocationRequest> = {}) {
  const unit = createModuleVersion('code', { limits: { hostCalls: 2, wallMs: 100 } });
  const host = fakeHost();
  const lane = fakeQueue();
  const request = fakeInvocation(lane, { ...invocationInput(unit), ...job });
  sendInvocations(host, { unit, requests: [request], room: 1, numberOf: () => 1, now: 0 });
  host.sent.length = 0;
  let id = 0;
  const call = (name: string, args = '{}') => {
    id += 1;
    return serveCall(host, request, { id, call: { name, args }, now: () => 0 });
  };
  const answers = () => host.sent.map(({ message, texts }) => [message, texts[0]]);
  return { host, lane, request, call, answers };
}

const answer = (call: number, ok: boolean) => ({ t: 'deliver', unit: 1, job: 1, call, ok });

describe('host calls', () => {
  it('are served by the job, and answered', async () => {
    const { call, answers, lane } = hostOf({ serve: async ({ name }) => ({ ok: true, text: name }) });
    expect(call('model.find')).toBeNull();
    await vi.runAllTimersAsync();
    expect(answers()).toEqual([[answer(1, true), 'model.find']]);
    expect(lane.waits).toBeGreaterThan(0);
  });

  it('are refused beyond their number', () => {
    const { call } = hostOf();
    expect([call('fetch'), call('fetch'), call('fetch')]).toEqual([null, null, 'hostCalls']);
  });

  it('remember whether they may be made twice', () => {
    for (const [name, acts] of [
      ['timer', false],
      ['model.find', false],
      ['model.count', false],
      ['model.stats', false],
      ['model.create', true],
      ['fetch', true],
    ] as const) {
      const { call, request } = hostOf();
      call(name, '{"ms":1}');
      expect([name, request.hasActed]).toEqual([name, acts]);
    }
  });

  it('are not answered when the request is over meanwhile', async () => {
    const { host, call, answers } = hostOf();
    call('model.find');
    host.requests.clear();
    await vi.runAllTimersAsync();
    expect(answers()).toEqual([]);
  });

  it('that fail unexpectedly, or answer too much, say so without a word of why', async () => {
    const failing = hostOf({
      serve: () => {
        throw new Error('secret path');
      },
    });
    failing.call('model.find');
    const huge = hostOf({ serve: async () => ({ ok: true, text: 'x'.repeat(10_485_761) }) });
    huge.call('model.find');
    await vi.runAllTimersAsync();
    expect(failing.answers()).toEqual([
      [answer(1, false), '{"code":"INTERNAL","message":"The call failed"}'],
    ]);
    expect(huge.answers()).toEqual([[answer(1, false), expect.stringContaining('RESULT_TOO_LARGE')]]);
  });
});

describe('timers', () => {
  it('ring after their time, at most the wall time', () => {
    const { call, answers } = hostOf();
    call('timer', '{"ms":20}');
    call('timer', '{"ms":1000000}');
    vi.advanceTimersByTime(19);
    expect(answers()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(answers()).toEqual([[answer(1, true), 'null']]);
    vi.advanceTimersByTime(80);
    expect(answers()).toHaveLength(2);
  });

  it('are bounded in number, apart from other calls', () => {
    const { call } = hostOf();
    const results = Array.from({ length: 21 }, () => call('timer', '{"ms":1}'));
    expect(results).toEqual([...Array.from({ length: 20 }, () => null), 'hostCalls']);
    expect(call('model.find')).toBeNull();
  });

  it('without a time break the protocol', () => {
    expect(hostOf().call('timer', '{}')).toBe('protocol');
  });
});
