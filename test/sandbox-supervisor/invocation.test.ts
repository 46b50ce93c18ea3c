import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  failedOutcome,
  incidentFor,
  resetForRequeue,
  settle,
  start,
} from '../../src/sandbox-supervisor/invocation.ts';
import type { RunFrame } from '../../src/sandbox-supervisor/state.ts';
import { fakeHost, fakeInvocation } from '../helpers/fake-host.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ANSWER = { kind: 'result', json: '1' } as const;
const FRAME: RunFrame = {
  unit: 1,
  requests: [],
  isDelivery: false,
  isCold: false,
  room: 1,
  parts: 0,
  since: 0,
  cpuMs: 0,
};

function begun() {
  const host = fakeHost({ progressAt: 5 });
  const request = fakeInvocation();
  request.number = 1;
  request.frame = FRAME;
  host.requests.set(1, request);
  start(host, request, { now: 9, turnMs: 1 });
  return { host, request };
}

describe('a request', () => {
  it('begins once, when its host got ahead', () => {
    const { host, request } = begun();
    start(host, request, { now: 20, turnMs: 1 });
    expect([request.begun, request.startedAt, host.begun]).toEqual([true, 5, 1]);
  });

  it('does not pay for loading its module', () => {
    const host = fakeHost({ progressAt: 5 });
    const request = fakeInvocation();
    request.frame = { ...FRAME, isCold: true };
    start(host, request, { now: 100, turnMs: 2 });
    expect(request.startedAt).toBe(98);
  });

  it('ends once', () => {
    const { host, request } = begun();
    settle(host, request, ANSWER);
    settle(host, request, failedOutcome('ENDPOINT_CRASHED', 'late'));
    expect([request.outcome, request.over, host.begun, host.requests.size]).toEqual([ANSWER, true, 0, 0]);
  });

  it('ends what it asked for when it fails', () => {
    const { host, request } = begun();
    request.controller = new AbortController();
    const { signal } = request.controller;
    const timer = vi.fn();
    request.timers = new Set([setTimeout(timer, 10)]);
    settle(host, request, failedOutcome('ENDPOINT_TIMEOUT', 'late'));
    vi.advanceTimersByTime(20);
    expect([signal.aborted, timer.mock.calls.length]).toEqual([true, 0]);
  });

  it('that has answered leaves what it asked for its wall time', () => {
    const { host, request } = begun();
    request.controller = new AbortController();
    request.inFlight = 1;
    const { signal } = request.controller;
    settle(host, request, ANSWER);
    vi.advanceTimersByTime(29_999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('is as new when it is taken back', () => {
    const { host, request } = begun();
    Object.assign(request, {
      calls: 3,
      timerCalls: 1,
      logLines: 2,
      logLength: 5,
      hasActed: true,
      inFlight: 1,
    });
    resetForRequeue(host, request);
    const { outcome: _, ...fresh } = fakeInvocation(request.lane);
    expect(request).toMatchObject({ ...fresh, job: request.job, resolve: request.resolve });
    expect([host.begun, host.requests.size]).toEqual([0, 0]);
  });

  it('is named in incidents by module, version and code', () => {
    const request = fakeInvocation();
    const { id: unitId, version, sha256 } = request.job.unit;
    expect(incidentFor(request, 'kill', 'cpuMs')).toEqual({
      ...{ unitId, version, sha256, kind: 'kill', limit: 'cpuMs' },
    });
  });
});
