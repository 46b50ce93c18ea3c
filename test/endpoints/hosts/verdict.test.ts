import { describe, expect, it } from 'vitest';
import { causeOfExit, RETIRED, STOPPED } from '../../../src/endpoints/hosts/deaths.ts';
import { hand } from '../../../src/endpoints/hosts/handover.ts';
import type { Request } from '../../../src/endpoints/hosts/state.ts';
import { type Cause, incidentOfEnd, judge } from '../../../src/endpoints/hosts/verdict.ts';
import { type FakeRequest, fakeHost, laneOf, requestOf } from '../../helpers/fake-host.ts';

const DEATH: Cause = { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message: 'died' };

/** A host with one frame for each number of requests. */
function hostOf(...frames: number[]) {
  const lane = laneOf();
  const host = fakeHost();
  const requests: FakeRequest[] = [];
  for (const count of frames) {
    const batch = Array.from({ length: count }, () => requestOf(lane));
    requests.push(...batch);
    const { unit } = (batch[0] as Request).job;
    hand(host, { unit, requests: batch, room: 16, numberOf: () => 1, now: 0 });
  }
  return { host, requests };
}

/** Which of the requests are in each part of the verdict. */
function verdictOf(...[{ host, requests }, cause]: [ReturnType<typeof hostOf>, Cause]) {
  const { blamed, lost, alone, again } = judge(host, cause);
  const numbers = (of: readonly Request[]) => of.map((request) => requests.indexOf(request as FakeRequest));
  return {
    blamed: blamed === null ? null : requests.indexOf(blamed as FakeRequest),
    lost: numbers(lost),
    alone: numbers(alone),
    again: numbers(again),
  };
}

function begin(made: ReturnType<typeof hostOf>, ...numbers: number[]) {
  for (const number of numbers) {
    (made.requests[number] as Request).begun = true;
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
    (made.requests[1] as Request).hasActed = true;
    (made.requests[2] as Request).alone = true;
    made.host.frames.shift();
    expect(verdictOf(made, DEATH)).toEqual({ blamed: 3, lost: [1, 2], alone: [0], again: [] });
  });

  it('blames the request whose answer was being delivered', () => {
    const made = hostOf(2);
    begin(made, 0, 1);
    made.host.frames.shift();
    made.host.frames.push({
      ...{ unit: 1, isDelivery: true, isCold: false, room: 0, parts: 0, since: 0, cpuMs: 0 },
      requests: [made.requests[1] as Request],
    });
    expect(verdictOf(made, DEATH)).toEqual({ blamed: 1, lost: [], alone: [0], again: [] });
  });

  it('blames nobody when nothing ran, or when the server ended it', () => {
    const waiting = hostOf(1);
    begin(waiting, 0);
    waiting.host.frames.shift();
    expect(verdictOf(waiting, DEATH)).toEqual({ blamed: null, lost: [], alone: [0], again: [] });
    expect(verdictOf(hostOf(2), RETIRED)).toEqual({ blamed: null, lost: [], alone: [], again: [0, 1] });
  });

  it('blames whoever is known, and nobody else', () => {
    const made = hostOf(3);
    const blamed = made.requests[1] as Request;
    expect(verdictOf(made, { ...DEATH, blamed })).toEqual({ blamed: 1, lost: [], alone: [], again: [0, 2] });
  });

  it('gives the only suspect a second try when the cause may lie outside, not a third', () => {
    const made = hostOf(1);
    expect(verdictOf(made, { ...DEATH, isDoubtful: true })).toEqual({
      ...{ blamed: null, lost: [], alone: [0], again: [] },
    });
    (made.requests[0] as Request).alone = true;
    expect(verdictOf(made, { ...DEATH, isDoubtful: true }).blamed).toBe(0);
  });

  it('blames a request that was answered at its wall time and is still running', () => {
    const made = hostOf(1);
    (made.requests[0] as Request).over = true;
    made.host.requests.clear();
    expect(verdictOf(made, DEATH).blamed).toBe(0);
  });
});

describe('what is told of the end of a host', () => {
  const about = { unitId: 'endpoint:1.0/test', version: expect.any(Number), sha256: '0'.repeat(64) };
  const told = (made: ReturnType<typeof hostOf>, cause: Cause) =>
    incidentOfEnd(made.host, cause, judge(made.host, cause).blamed);

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
    expect(told(made, causeOfExit('SIGKILL'))).toMatchObject({ ...about, kind: 'crash', counts: false });
    (made.requests[0] as Request).alone = true;
    expect(told(made, causeOfExit('SIGKILL'))).toMatchObject({ counts: true });
  });

  it('does not count what the server decides, and does not tell of hosts that it needs no more', () => {
    expect(told(hostOf(1), STOPPED)).toMatchObject({
      ...about,
      kind: 'kill',
      limit: 'suspended',
      counts: false,
    });
    expect(told(hostOf(1), RETIRED)).toBeNull();
  });
});
