import { describe, expect, it } from 'vitest';
import {
  attributeCrash,
  type ExitCause,
  incidentForExit,
} from '../../src/sandbox-supervisor/crash-attribution.ts';
import { EVICTED, exitCauseOfSignal, STOPPED } from '../../src/sandbox-supervisor/exit-causes.ts';
import { sendInvocations } from '../../src/sandbox-supervisor/host.ts';
import type { Invocation } from '../../src/sandbox-supervisor/state.ts';
import { type FakeInvocation, fakeHost, fakeInvocation, fakeQueue } from '../helpers/fake-host.ts';

const DEATH: ExitCause = { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message: 'died' };

/** A host with one frame for each number of requests. */
function hostOf(...frames: number[]) {
  const lane = fakeQueue();
  const host = fakeHost();
  const requests: FakeInvocation[] = [];
  for (const count of frames) {
    const batch = Array.from({ length: count }, () => fakeInvocation(lane));
    requests.push(...batch);
    const { unit } = (batch[0] as Invocation).job;
    sendInvocations(host, { unit, requests: batch, room: 16, numberOf: () => 1, now: 0 });
  }
  return { host, requests };
}

/** Which of the requests are in each part of the verdict. */
function verdictOf(...[{ host, requests }, cause]: [ReturnType<typeof hostOf>, ExitCause]) {
  const { blamed, lost, alone, again } = attributeCrash(host, cause);
  const numbers = (of: readonly Invocation[]) =>
    of.map((request) => requests.indexOf(request as FakeInvocation));
  return {
    blamed: blamed === null ? null : requests.indexOf(blamed as FakeInvocation),
    lost: numbers(lost),
    alone: numbers(alone),
    again: numbers(again),
  };
}

function begin(made: ReturnType<typeof hostOf>, ...numbers: number[]) {
  for (const number of numbers) {
    (made.requests[number] as Invocation).begun = true;
    made.host.begun += 1;
  }
}

describe('the verdict on a dead host', () => {
  it('blames the only request that ran', () => {
    expect(verdictOf(hostOf(1), DEATH)).toEqual({ blamed: 0, lost: [], alone: [], again: [] });
  });

  it('blames nobody of a batch, but lets each run alone', () => {
    expect(verdictOf(hostOf(3), DEATH)).toEqual({ blamed: null, lost: [], alone: [0, 1, 2], again: [] });
  });

  it('lets those of later frames run as if nothing had happened', () => {
    expect(verdictOf(hostOf(1, 2), DEATH)).toEqual({ blamed: 0, lost: [], alone: [], again: [1, 2] });
  });

  it('lets waiting requests run again that only read, not those that wrote or had their second try', () => {
    const made = hostOf(3, 1);
    begin(made, 0, 1, 2);
    (made.requests[1] as Invocation).hasActed = true;
    (made.requests[2] as Invocation).alone = true;
    made.host.frames.shift();
    expect(verdictOf(made, DEATH)).toEqual({ blamed: 3, lost: [1, 2], alone: [0], again: [] });
  });

  it('blames the request whose answer was being delivered', () => {
    const made = hostOf(2);
    begin(made, 0, 1);
    made.host.frames.shift();
    made.host.frames.push({
      ...{ unit: 1, isDelivery: true, isCold: false, room: 0, parts: 0, since: 0, cpuMs: 0 },
      requests: [made.requests[1] as Invocation],
    });
    expect(verdictOf(made, DEATH)).toEqual({ blamed: 1, lost: [], alone: [0], again: [] });
  });

  it('blames nobody when nothing ran, or when the server ended it', () => {
    const waiting = hostOf(1);
    begin(waiting, 0);
    waiting.host.frames.shift();
    expect(verdictOf(waiting, DEATH)).toEqual({ blamed: null, lost: [], alone: [0], again: [] });
    expect(verdictOf(hostOf(2), EVICTED)).toEqual({ blamed: null, lost: [], alone: [], again: [0, 1] });
  });

  it('blames whoever is known, and nobody else', () => {
    const made = hostOf(3);
    const blamed = made.requests[1] as Invocation;
    expect(verdictOf(made, { ...DEATH, culprit: blamed })).toEqual({
      blamed: 1,
      lost: [],
      alone: [],
      again: [0, 2],
    });
  });

  it('gives the only suspect a second try when the cause may lie outside, not a third', () => {
    const made = hostOf(1);
    expect(verdictOf(made, { ...DEATH, isDoubtful: true })).toEqual({
      ...{ blamed: null, lost: [], alone: [0], again: [] },
    });
    (made.requests[0] as Invocation).alone = true;
    expect(verdictOf(made, { ...DEATH, isDoubtful: true }).blamed).toBe(0);
  });

  it('blames a request that was answered at its wall time and is still running', () => {
    const made = hostOf(1);
    (made.requests[0] as Invocation).over = true;
    made.host.requests.clear();
    expect(verdictOf(made, DEATH).blamed).toBe(0);
  });
});

describe('what is told of the end of a host', () => {
  const about = { unitId: 'endpoint:1.0/test', version: expect.any(Number), sha256: '0'.repeat(64) };
  const told = (made: ReturnType<typeof hostOf>, cause: ExitCause) =>
    incidentForExit(made.host, cause, attributeCrash(made.host, cause).blamed);

  it('names its module, also where one of many requests is to blame, or none runs any more', () => {
    const counted = { ...about, kind: 'crash', limit: 'process', counts: true };
    expect(told(hostOf(1), DEATH)).toEqual(counted);
    expect(told(hostOf(3), DEATH)).toEqual(counted);
    const waiting = hostOf(1);
    begin(waiting, 0);
    waiting.host.frames.shift();
    expect(told(waiting, DEATH)).toEqual(counted);
    expect(told(hostOf(), DEATH)).toMatchObject({ unitId: null, counts: false });
    const idle = hostOf();
    idle.host.units.set(1, 'endpoint:1.0/last');
    expect(told(idle, DEATH)).toMatchObject({ unitId: 'endpoint:1.0/last', version: 0, counts: false });
  });

  it('does not count what may come from outside, until it happens again', () => {
    const made = hostOf(1);
    expect(told(made, exitCauseOfSignal('SIGKILL'))).toMatchObject({
      ...about,
      kind: 'crash',
      counts: false,
    });
    (made.requests[0] as Invocation).alone = true;
    expect(told(made, exitCauseOfSignal('SIGKILL'))).toMatchObject({ counts: true });
  });

  it('does not count what the server decides, and does not tell of hosts that it needs no more', () => {
    expect(told(hostOf(1), STOPPED)).toMatchObject({
      ...about,
      kind: 'kill',
      limit: 'suspended',
      counts: false,
    });
    expect(told(hostOf(1), EVICTED)).toBeNull();
  });
});
