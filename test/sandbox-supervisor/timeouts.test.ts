import { describe, expect, it } from 'vitest';
import { completeFrame, sendHostCallResult, sendInvocations } from '../../src/sandbox-supervisor/host.ts';
import type { Incident } from '../../src/sandbox-supervisor/sandbox.ts';
import { checkHost, checkQueue } from '../../src/sandbox-supervisor/timeouts.ts';
import { type FakeInvocation, fakeHost, fakeInvocation, fakeQueue } from '../helpers/fake-host.ts';
import { createModuleVersion, invocationInput } from '../helpers/sandbox.ts';

/** A host that has been handed frames at 0, under limits of 100 ms of CPU and 1000 ms in all. */
function hostOf(...frames: number[]) {
  const unit = createModuleVersion('code', { limits: { cpuMs: 100, wallMs: 1000 } });
  const host = fakeHost({ units: new Map([[1, unit.id]]) });
  const lane = fakeQueue();
  const requests: FakeInvocation[] = [];
  for (const count of frames) {
    const batch = Array.from({ length: count }, () => fakeInvocation(lane, invocationInput(unit)));
    requests.push(...batch);
    sendInvocations(host, { unit, requests: batch, room: 16, numberOf: () => 1, now: 0 });
  }
  host.sent.length = 0;
  const incidents: Incident[] = [];
  const kills: string[] = [];
  let cpu: number | null = 0;
  const watch = (now: number) =>
    checkHost(host, now, {
      onIncident: (incident) => incidents.push(incident),
      cpuMs: () => cpu,
      kill: (_, { kind, limit }) => kills.push(`${kind} ${limit}`),
    });
  const spend = (ms: number | null) => {
    cpu = ms;
  };
  return { host, lane, requests, incidents, kills, watch, spend };
}

const codesOf = (requests: readonly FakeInvocation[]) =>
  requests.map(({ outcome }) => (outcome?.kind === 'failure' ? outcome.code : outcome?.kind));

describe('the clock of a host', () => {
  it('leaves a turn alone that is within its limits', () => {
    const { kills, watch, requests } = hostOf(1);
    for (const now of [50, 150, 900]) watch(now);
    expect([kills, codesOf(requests)]).toEqual([[], [undefined]]);
  });

  it('kills a turn that has used too much CPU, counted from when it was looked at', () => {
    const { kills, watch, spend } = hostOf(1);
    spend(5000);
    watch(100);
    spend(5350);
    watch(450);
    expect(kills).toEqual([]);
    spend(5351);
    watch(475);
    expect(kills).toEqual(['kill cpuMs']);
  });

  it('kills a request that has used too much CPU in several turns', () => {
    const { host, kills, watch, spend, requests } = hostOf(1);
    const turn = (from: number, to: number) => {
      spend(0);
      watch(from + 50);
      spend(200);
      watch(to);
    };
    const [request] = requests as [FakeInvocation];
    request.begun = true;
    turn(0, 250);
    completeFrame(host);
    sendHostCallResult(host, request, { ok: true, text: '', call: 1, now: 300 });
    expect([kills, request.cpuMs]).toEqual([[], 200]);
    turn(300, 550);
    expect(kills).toEqual(['kill cpuMs']);
  });

  it('has one wall and one share of CPU for all requests of a frame, whatever the host says in between', () => {
    const { host, kills, watch } = hostOf(16);
    for (let part = 1; part <= 15; part += 1) {
      host.progressAt = part * 80;
      watch(part * 80);
    }
    expect(kills).toEqual([]);
    watch(1251);
    expect(kills).toEqual(['kill wallMs']);
    const busy = hostOf(16);
    busy.watch(50);
    busy.host.progressAt = 200;
    busy.spend(351);
    busy.watch(260);
    expect(busy.kills).toEqual(['kill cpuMs']);
  });

  it('answers the only request of a turn at its wall time, and kills a while later', () => {
    const { kills, watch, requests, incidents } = hostOf(1);
    watch(1000);
    expect(codesOf(requests)).toEqual([undefined]);
    watch(1001);
    expect(codesOf(requests)).toEqual(['ENDPOINT_TIMEOUT']);
    watch(1250);
    expect(kills).toEqual([]);
    watch(1251);
    expect(kills).toEqual(['kill wallMs']);
    expect(incidents.map(({ kind, limit }) => `${kind} ${limit}`)).toEqual(['violation wallMs']);
  });

  it('answers none of several at their wall time, as it cannot know whose turn it is', () => {
    const { kills, watch, requests } = hostOf(2);
    watch(1200);
    expect(codesOf(requests)).toEqual([undefined, undefined]);
    watch(1251);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('ends waiting requests at their wall time, and tells the host', () => {
    const { host, watch, requests } = hostOf(2);
    host.frames.length = 0;
    for (const request of requests) request.begun = true;
    (requests[1] as FakeInvocation).startedAt = 500;
    watch(1001);
    expect(codesOf(requests)).toEqual(['ENDPOINT_TIMEOUT', undefined]);
    expect(host.sent.map(({ message }) => message)).toEqual([{ t: 'forget', unit: 1, job: 1 }]);
  });

  it('gives a delivered answer a little time, even late in the wall time', () => {
    const { host, kills, watch, requests } = hostOf(1);
    const [request] = requests as [FakeInvocation];
    request.begun = true;
    host.frames.splice(0, 1, {
      unit: 1,
      requests: [request],
      isDelivery: true,
      isCold: false,
      room: 0,
      parts: 0,
      since: 1100,
      cpuMs: 0,
    });
    host.progressAt = 1100;
    watch(1300);
    expect(kills).toEqual([]);
    watch(1351);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('allows for loading a module', () => {
    const { host, kills, watch, requests } = hostOf(1);
    const [frame] = host.frames;
    if (frame !== undefined) host.frames.splice(0, 1, { ...frame, isCold: true });
    watch(1500);
    expect([kills, codesOf(requests)]).toEqual([[], [undefined]]);
    watch(1751);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('marks the lane of a long turn while it still runs, not that of one that is kept from running', () => {
    const { lane, watch, spend } = hostOf(1);
    watch(50);
    watch(900);
    expect(lane.slowUntil).toBe(0);
    spend(60);
    watch(925);
    expect(lane.slowUntil).toBe(6925);
  });

  it('sends requests away that lie in the pipe for too long', () => {
    const { watch, requests } = hostOf(2, 2);
    watch(1001);
    expect(codesOf(requests)).toEqual([undefined, undefined, 'ENDPOINT_BUSY', 'ENDPOINT_BUSY']);
  });

  it('works by wall time alone where CPU cannot be read', () => {
    const { kills, watch, spend } = hostOf(1);
    spend(null);
    watch(900);
    watch(1251);
    expect(kills).toEqual(['kill wallMs']);
  });
});

describe('the clock of a queue', () => {
  it('sends away who has waited for too long, and nobody else', () => {
    const lane = fakeQueue();
    const old = fakeInvocation(lane);
    const young = fakeInvocation(lane, {}, 500);
    lane.queue.push(old, young);
    checkQueue(lane, 1001);
    expect(codesOf([old, young])).toEqual(['ENDPOINT_BUSY', undefined]);
    expect(lane.queue).toEqual([young]);
  });
});
