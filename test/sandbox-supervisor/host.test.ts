import { describe, expect, it } from 'vitest';
import { inspectionDomain } from '../../src/sandbox-supervisor/host.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';
import {
  createModuleVersion,
  type FakeHost,
  type FakeInvocation,
  fakeHost,
  fakeInvocation,
  fakeQueue,
  sendNew,
  sendTo,
} from '../helpers/sandbox/sandbox.ts';

const RESULT = { kind: 'result', json: '1' } as const;

const kinds = (host: FakeHost) => host.sent.map(({ message }) => message.t);
const drops = (host: FakeHost) =>
  host.sent.flatMap(({ message }) => (message.t === 'drop' ? [message.moduleNumber] : []));
const moduleOf = (name: string) => createModuleVersion('code', { id: `endpoint:1.0/${name}` });

/** Answers everything. */
function finish(host: FakeHost, now = 0) {
  while (host.frames.length > 0) host.frames.complete();
  for (const invocation of [...host.invocations.values()]) invocation.settle(RESULT);
  host.release(now);
}

/** Sends one invocation of a module and answers it. */
function runOnce(host: FakeHost, moduleVersion: ModuleVersion, moduleNumber: number) {
  sendNew(host, 1, { moduleVersion, moduleNumber, queue: fakeQueue(moduleVersion.id) });
  finish(host);
}

describe('sending invocations to a host', () => {
  it('sends the code once, then the invocations with the sizes of their texts', () => {
    const host = fakeHost();
    const options = { id: 'endpoint:1.0/report', limits: { cpuMs: 7, wallMs: 70 } };
    const unit = createModuleVersion('the code', options);
    const queue = fakeQueue(unit.id);
    const invocations = [0, 1].map((n) =>
      fakeInvocation(queue, { moduleVersion: unit, head: `h${n}`, body: 'ü' }),
    );
    sendTo(host, invocations, { queue, moduleNumber: 3, maxInFlight: 4, now: 7 });
    sendTo(host, [fakeInvocation(queue, { moduleVersion: unit })], { moduleNumber: 3, now: 8 });
    expect(kinds(host)).toEqual(['load', 'run', 'run']);
    expect(host.sent[0]).toMatchObject({
      message: {
        moduleNumber: 3,
        name: 'endpoint.report.js',
        kind: 'endpoint',
        isolation: 'realm',
        cpuMs: 7,
        wallMs: 70,
        timerMs: 70,
        timers: 20,
        logLines: 100,
        loadMs: 300,
        model: true,
        fetch: false,
        bcrypt: false,
        config: '{}',
      },
      texts: ['the code'],
    });
    const requests = [
      [1, 2, 2],
      [2, 2, 2],
    ];
    expect(host.sent[1]).toEqual({
      message: { t: 'run', moduleNumber: 3, maxInFlight: 4, requests },
      texts: ['h0', 'ü', 'h1', 'ü'],
    });
    expect([host.queue, host.frames.length, host.frames.progressAt]).toEqual([queue, 2, 7]);
    expect([host.frames.current?.isCold, host.frames.queued[0]?.isCold]).toEqual([true, false]);
    expect(invocations.map(({ number }) => number)).toEqual([1, 2]);
    expect([0, 1, 3, 4].map((number) => host.hasSent(number))).toEqual([false, true, true, false]);
  });

  it('keeps loaded code that a frame or a waiting invocation still uses', () => {
    const host = fakeHost();
    const queue = fakeQueue('endpoint:1.0/a');
    for (let number = 1; number <= 25; number += 1) {
      sendNew(host, 1, { moduleVersion: moduleOf('a'), moduleNumber: number, queue });
    }
    expect(drops(host)).toEqual([]);
  });

  it('makes the host exclusive to an isolated retry until it is released', () => {
    const host = fakeHost();
    const invocation = fakeInvocation();
    invocation.isolate();
    sendTo(host, [invocation]);
    expect(host.isExclusive).toBe(true);
    finish(host);
    expect(host.isExclusive).toBe(false);
  });
});

describe('a guest call in a host', () => {
  it('gets its result under the number that the invocation has there', async () => {
    const host = fakeHost();
    const performed = Promise.withResolvers<{ ok: boolean; text: string }>();
    const unit = createModuleVersion('code');
    const invocation = fakeInvocation(fakeQueue(), {
      moduleVersion: unit,
      performGuestCall: () => performed.promise,
    });
    sendTo(host, [invocation], { moduleNumber: 5, now: 7 });
    invocation.performGuestCall(2, { name: 'model.find', args: '{}' }, () => 9);
    performed.resolve({ ok: true, text: 'é' });
    await new Promise(setImmediate);
    host.cancel(invocation);
    expect(host.sent.slice(2)).toEqual([
      { message: { t: 'deliver', moduleNumber: 5, number: 1, call: 2, ok: true }, texts: ['é'] },
      { message: { t: 'forget', moduleNumber: 5, number: 1 }, texts: [] },
    ]);
    expect([host.frames.current?.isDelivery, host.frames.queued[0]?.isDelivery]).toEqual([false, true]);
    expect(host.frames.progressAt, 'the first frame still runs').toBe(7);
  });
});

describe('an invocation in a host', () => {
  it('starts once, when the host finished what it ran before', () => {
    const host = fakeHost();
    runOnce(host, moduleOf('a'), 1);
    const [invocation] = sendNew(host, 1, { moduleVersion: moduleOf('a'), now: 5 }) as [FakeInvocation];
    invocation.start({ now: 9, sliceMs: 1 });
    invocation.start({ now: 20, sliceMs: 1 });
    expect([invocation.hasStarted, invocation.startedAt, host.startedCount]).toEqual([true, 5, 1]);
  });

  it('does not pay for the loading of its module', () => {
    const host = fakeHost();
    const [invocation] = sendNew(host, 1, { now: 5 }) as [FakeInvocation];
    invocation.start({ now: 100, sliceMs: 2 });
    expect(invocation.startedAt).toBe(98);
  });

  it('leaves the host when it is settled, once', () => {
    const host = fakeHost();
    const [invocation] = sendNew(host, 1) as [FakeInvocation];
    invocation.start({ now: 1, sliceMs: 1 });
    invocation.settle(RESULT);
    invocation.settle({ kind: 'failure', code: 'ENDPOINT_CRASHED', message: 'late' });
    expect([invocation.result(), host.startedCount, host.invocations.size]).toEqual([RESULT, 0, 0]);
  });

  it('leaves the host as if it had never run when it is reset', () => {
    const host = fakeHost();
    const [invocation] = sendNew(host, 1) as [FakeInvocation];
    invocation.start({ now: 1, sliceMs: 1 });
    invocation.reset();
    expect([host.startedCount, host.invocations.size]).toEqual([0, 0]);
    expect([invocation.hasStarted, invocation.number, invocation.frame]).toEqual([false, 0, null]);
  });

  it('reserves as much concurrency as its frame allows, or as many as have started', () => {
    const host = fakeHost();
    const invocations = sendNew(host, 3, { maxInFlight: 2 });
    expect(host.reservedConcurrency).toBe(2);
    for (const invocation of invocations) invocation.start({ now: 1, sliceMs: 1 });
    expect(host.reservedConcurrency).toBe(3);
  });
});

describe('a host that is released', () => {
  it('is free for other modules once it has nothing left to do', () => {
    const host = fakeHost();
    const queue = fakeQueue();
    const [invocation] = sendNew(host, 1, { queue }) as [FakeInvocation];
    host.frames.complete();
    host.release(50);
    expect([host.queue, host.isIdle]).toEqual([queue, false]);
    invocation.settle(RESULT);
    host.release(60);
    expect([host.queue, host.isIdle, host.idleSince]).toEqual([null, true, 60]);
  });

  it('drops evicted code at once, or when its last invocation has ended', () => {
    const host = fakeHost();
    runOnce(host, moduleOf('idle'), 1);
    sendNew(host, 1, {
      moduleVersion: moduleOf('busy'),
      moduleNumber: 2,
      queue: fakeQueue('endpoint:1.0/busy'),
    });
    for (const name of ['idle', 'busy', 'other']) host.evict(`endpoint:1.0/${name}`);
    expect(drops(host)).toEqual([1]);
    finish(host);
    expect(drops(host)).toEqual([1, 2]);
    expect([1, 2].map((number) => host.hasLoaded(number))).toEqual([false, false]);
  });
});

describe('processor time that a host reports', () => {
  it('is believed as far as the host is old, all reports together', () => {
    const host = fakeHost();
    const age = 1000;
    const now = host.startedAt + age;
    expect(host.addCpu(300, now)).toBe(300);
    expect(host.addCpu(3_600_000, now)).toBe(700);
    expect(host.addCpu(1, now)).toBe(0);
    expect(host.addCpu(20, now + 5)).toBe(5);
  });
});

describe('the inspection domain', () => {
  it('is another one for each author, and for files', () => {
    const domains = [null, '', 'alice', 'bob'].map(inspectionDomain);
    expect(new Set(domains).size).toBe(domains.length);
    expect(domains.map((domain) => fakeHost({ domain }).hasInspected)).toEqual(domains.map(() => true));
  });

  it('is none that a policy can name', () => {
    for (const domain of [null, 'default', 'inspect', 'own:endpoint:1.0/inspect']) {
      expect(fakeHost({ domain }).hasInspected).toBe(false);
    }
  });
});
