import { describe, expect, it } from 'vitest';
import {
  evictModule,
  sendCancel,
  sendHostCallResult,
  sendInvocations,
  unassign,
} from '../../src/sandbox-supervisor/host.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/module-version.ts';
import { type FakeHost, fakeHost, fakeInvocation, fakeQueue } from '../helpers/fake-host.ts';
import { createModuleVersion, invocationInput } from '../helpers/sandbox.ts';

function handTo(host: FakeHost, unit: ModuleVersion, number: number, count = 1) {
  const lane = fakeQueue({ id: unit.id });
  const requests = Array.from({ length: count }, (_, n) =>
    fakeInvocation(lane, { ...invocationInput(unit), head: `h${n}`, body: 'ü' }),
  );
  sendInvocations(host, { unit, requests, room: 4, numberOf: () => number, now: 7 });
  return { lane, requests };
}

const kinds = (host: FakeHost) => host.sent.map(({ message }) => message.t);

/** As if everything had been answered. */
function finish(host: FakeHost) {
  host.frames.length = 0;
  host.requests.clear();
  unassign(host, 0);
}

describe('handing over', () => {
  it('sends the code once, then the requests with their sizes', () => {
    const host = fakeHost();
    const unit = createModuleVersion('the code', {
      id: 'endpoint:1.0/report',
      limits: { cpuMs: 7, wallMs: 70 },
    });
    const { lane, requests } = handTo(host, unit, 3, 2);
    handTo(host, unit, 3);
    expect(kinds(host)).toEqual(['load', 'run', 'run']);
    expect(host.sent[0]).toMatchObject({
      message: {
        ...{
          unit: 3,
          name: 'endpoint.report.js',
          kind: 'endpoint',
          isolation: 'realm',
          cpuMs: 7,
          wallMs: 70,
        },
        ...{ timerMs: 70, timers: 20, logLines: 100, loadMs: 300, model: true, fetch: false },
      },
      texts: ['the code'],
    });
    expect(host.sent[1]).toEqual({
      message: {
        ...{ t: 'run', unit: 3, room: 4 },
        jobs: [
          [1, 2, 2],
          [2, 2, 2],
        ],
      },
      texts: ['h0', 'ü', 'h1', 'ü'],
    });
    expect([...lane.hosts]).toEqual([host]);
    expect([host.lastNumber, host.frames.length, host.progressAt]).toEqual([3, 2, 7]);
    expect(host.frames.map(({ isCold }) => isCold)).toEqual([true, false]);
    expect(requests.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('names hooks after their file as well', () => {
    const host = fakeHost();
    handTo(host, createModuleVersion('code', { id: 'hook:slugify', kind: 'hook' }), 1);
    expect(host.sent[0]?.message).toMatchObject({ name: 'hook.slugify.js' });
  });

  it('drops the unit that was used longest ago when there are too many', () => {
    const host = fakeHost();
    for (let number = 1; number <= 24; number += 1) {
      handTo(host, createModuleVersion('code', { id: `endpoint:1.0/e${number}` }), number);
      finish(host);
    }
    handTo(host, createModuleVersion('code', { id: 'endpoint:1.0/e1' }), 1);
    finish(host);
    expect(kinds(host)).not.toContain('drop');
    handTo(host, createModuleVersion('code', { id: 'endpoint:1.0/e25' }), 25);
    expect(host.sent.find(({ message }) => message.t === 'drop')?.message).toEqual({ t: 'drop', unit: 2 });
    expect(host.units.size).toBe(24);
  });

  it('delivers answers under the number that the request has there', () => {
    const host = fakeHost();
    const { requests } = handTo(host, createModuleVersion('code'), 5);
    const [request] = requests;
    if (request === undefined) throw new Error('none');
    sendHostCallResult(host, request, { call: 2, ok: true, text: 'é', now: 9 });
    sendCancel(host, request);
    expect(host.sent.slice(2)).toEqual([
      { message: { t: 'deliver', unit: 5, job: 1, call: 2, ok: true }, texts: ['é'] },
      { message: { t: 'forget', unit: 5, job: 1 }, texts: [] },
    ]);
    expect(host.frames.map(({ isDelivery }) => isDelivery)).toEqual([false, true]);
    expect(host.progressAt, 'the first one still runs').toBe(7);
  });
});

describe('letting go', () => {
  it('takes a host off its lane once it has nothing left', () => {
    const host = fakeHost();
    const { lane } = handTo(host, createModuleVersion('code'), 1);
    host.frames.length = 0;
    unassign(host, 50);
    expect(host.lane).toBe(lane);
    host.requests.clear();
    unassign(host, 60);
    expect([host.lane, lane.hosts.size, host.idleSince]).toEqual([null, 0, 60]);
  });

  it('drops retired versions at once, or when their last request is over', () => {
    const host = fakeHost();
    handTo(host, createModuleVersion('code', { id: 'endpoint:1.0/idle' }), 1);
    finish(host);
    handTo(host, createModuleVersion('code', { id: 'endpoint:1.0/busy' }), 2);
    host.sent.length = 0;
    evictModule(host, 'endpoint:1.0/idle');
    evictModule(host, 'endpoint:1.0/busy');
    evictModule(host, 'endpoint:1.0/other');
    expect(host.sent.map(({ message }) => message)).toEqual([{ t: 'drop', unit: 1 }]);
    finish(host);
    expect(host.sent.map(({ message }) => message)).toEqual([
      { t: 'drop', unit: 1 },
      { t: 'drop', unit: 2 },
    ]);
    expect(host.units.size).toBe(0);
  });
});
