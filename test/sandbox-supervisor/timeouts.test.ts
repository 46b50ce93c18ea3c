import { describe, expect, it } from 'vitest';
import type { Incident } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { checkTimeouts } from '../../src/sandbox-supervisor/timeouts.ts';
import {
  createModuleVersion,
  type FakeInvocation,
  fakeHost,
  fakeQueue,
  sendNew,
} from '../helpers/sandbox/sandbox.ts';

/** A host that was sent frames at 0, with limits of 100 ms of CPU and 1000 ms in all. `isCold`: its module is not loaded. */
function hostOf({ isCold = false }, ...frames: number[]) {
  const moduleVersion = createModuleVersion('code', { limits: { cpuMs: 100, wallMs: 1000 } });
  const host = fakeHost();
  const queue = fakeQueue();
  if (!isCold) {
    const [first] = sendNew(host, 1, { moduleVersion, queue }) as [FakeInvocation];
    first.settle({ kind: 'result', json: '1' });
    host.frames.complete();
  }
  const invocations = frames.flatMap((count) => sendNew(host, count, { moduleVersion, queue }));
  const sentBefore = host.sent.length;
  const incidents: Incident[] = [];
  const kills: string[] = [];
  let cpu: number | null = 0;
  const check = (now: number) =>
    checkTimeouts(host, now, {
      onIncident: (incident) => incidents.push(incident),
      cpuMsOf: () => cpu,
      kill: (_, { kind, limit }) => kills.push(`${kind} ${limit}`),
    });
  const useCpu = (ms: number | null) => {
    cpu = ms;
  };
  const sent = () => host.sent.slice(sentBefore).map(({ message }) => message);
  /** The first invocation starts and is sent the result of a guest call. */
  const resume = async (now: number) => {
    const [invocation] = invocations as [FakeInvocation];
    invocation.start({ now, sliceMs: 0 });
    host.frames.recordProgress(now);
    host.frames.complete();
    invocation.performGuestCall(1, { name: 'model.find', args: '{}' }, () => now);
    await new Promise(setImmediate);
  };
  return { host, queue, invocations, incidents, kills, check, useCpu, sent, resume };
}

const codesOf = (invocations: readonly FakeInvocation[]) =>
  invocations.map((invocation) => {
    const result = invocation.result();
    return result?.kind === 'failure' ? result.code : result?.kind;
  });

describe('the timeouts of a host', () => {
  it('leave a time slice alone that is within its limits', () => {
    const { kills, check, invocations } = hostOf({}, 1);
    for (const now of [50, 150, 900]) check(now);
    expect([kills, codesOf(invocations)]).toEqual([[], [undefined]]);
  });

  it('kill the host of a frame that has used too much CPU since it was first measured', () => {
    const { kills, check, useCpu } = hostOf({}, 1);
    useCpu(5000);
    check(100);
    useCpu(5350);
    check(450);
    expect(kills).toEqual([]);
    useCpu(5351);
    check(475);
    expect(kills).toEqual(['kill cpuMs']);
  });

  it('kill the host of an invocation that has used too much CPU in several time slices', async () => {
    const { kills, check, useCpu, invocations, resume } = hostOf({}, 1);
    const slice = (from: number, to: number) => {
      useCpu(0);
      check(from + 50);
      useCpu(200);
      check(to);
    };
    slice(0, 250);
    await resume(300);
    expect([kills, invocations[0]?.cpuMs]).toEqual([[], 200]);
    slice(300, 550);
    expect(kills).toEqual(['kill cpuMs']);
  });

  it('give all invocations of a frame the wall time and the CPU of one, whatever the host sends meanwhile', () => {
    const { host, kills, check } = hostOf({}, 16);
    for (let part = 1; part <= 15; part += 1) {
      host.frames.recordProgress(part * 80);
      check(part * 80);
    }
    expect(kills).toEqual([]);
    check(1251);
    expect(kills).toEqual(['kill wallMs']);
    const busy = hostOf({}, 16);
    busy.check(50);
    busy.host.frames.recordProgress(200);
    busy.useCpu(351);
    busy.check(260);
    expect(busy.kills).toEqual(['kill cpuMs']);
  });

  it('settle the only invocation of a time slice at its wall time, and kill its host a while later', () => {
    const { kills, check, invocations, incidents } = hostOf({}, 1);
    check(1000);
    expect(codesOf(invocations)).toEqual([undefined]);
    check(1001);
    expect(codesOf(invocations)).toEqual(['ENDPOINT_TIMEOUT']);
    check(1250);
    expect(kills).toEqual([]);
    check(1251);
    expect(kills).toEqual(['kill wallMs']);
    expect(incidents.map(({ kind, limit }) => `${kind} ${limit}`)).toEqual(['violation wallMs']);
  });

  it('settle none of several at their wall time, as it is unknown whose time slice it is', () => {
    const { kills, check, invocations } = hostOf({}, 2);
    check(1200);
    expect(codesOf(invocations)).toEqual([undefined, undefined]);
    check(1251);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('settle waiting invocations at their wall time, and cancel them in the host', () => {
    const { host, check, invocations, sent } = hostOf({}, 2);
    const [first, second] = invocations as [FakeInvocation, FakeInvocation];
    first.start({ now: 0, sliceMs: 0 });
    host.frames.recordProgress(500);
    second.start({ now: 500, sliceMs: 0 });
    host.frames.complete();
    check(1001);
    expect(codesOf(invocations)).toEqual(['ENDPOINT_TIMEOUT', undefined]);
    expect(sent()).toEqual([{ t: 'forget', moduleNumber: 1, number: first.number }]);
  });

  it('give the result of a guest call a little time, even late in the wall time', async () => {
    const { kills, check, invocations, resume } = hostOf({}, 1);
    (invocations[0] as FakeInvocation).start({ now: 0, sliceMs: 0 });
    await resume(1100);
    check(1300);
    expect(kills).toEqual([]);
    check(1351);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('do not count the time for which an answered guest call waits behind time slices of others', async () => {
    const { host, queue, check, invocations } = hostOf({}, 1);
    const [waiting] = invocations as [FakeInvocation];
    waiting.start({ now: 0, sliceMs: 0 });
    host.frames.complete();
    sendNew(host, 1, { moduleVersion: waiting.moduleVersion, queue });
    waiting.performGuestCall(1, { name: 'model.find', args: '{}' }, () => 100);
    await new Promise(setImmediate);
    check(1100);
    expect(codesOf(invocations)).toEqual([undefined]);
    // Now it is its turn: it has a little time.
    host.frames.recordProgress(1900);
    host.frames.complete();
    check(1950);
    expect(codesOf(invocations)).toEqual([undefined]);
    check(2001);
    expect(codesOf(invocations)).toEqual(['ENDPOINT_TIMEOUT']);
  });

  it('allow for the loading of a module', () => {
    const { kills, check, invocations } = hostOf({ isCold: true }, 1);
    check(1500);
    expect([kills, codesOf(invocations)]).toEqual([[], [undefined]]);
    check(1751);
    expect(kills).toEqual(['kill wallMs']);
  });

  it('make a module slow while its long time slice still runs, but not one that gets no CPU', () => {
    const { queue, check, useCpu } = hostOf({}, 1);
    check(50);
    check(900);
    expect(queue.isSlow(901)).toBe(false);
    useCpu(60);
    check(925);
    expect([queue.isSlow(6924), queue.isSlow(6925)]).toEqual([true, false]);
  });

  it('reject invocations that wait in the pipe for too long', () => {
    const { check, invocations } = hostOf({}, 2, 2);
    check(1001);
    expect(codesOf(invocations)).toEqual([undefined, undefined, 'ENDPOINT_BUSY', 'ENDPOINT_BUSY']);
  });

  it('go by wall time alone where CPU cannot be measured', () => {
    const { kills, check, useCpu } = hostOf({}, 1);
    useCpu(null);
    check(900);
    check(1251);
    expect(kills).toEqual(['kill wallMs']);
  });
});
