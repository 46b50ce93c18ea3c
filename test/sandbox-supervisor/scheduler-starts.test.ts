// What the scheduler does while a host is being started.
import { describe, expect, it } from 'vitest';
import { type FakeHost, fakeHost } from '../helpers/sandbox/sandbox.ts';
import { answer, dispatched, endpoint, RESULT, schedulerOf } from '../helpers/sandbox/scheduler.ts';

describe('while a host is being started, the scheduler', () => {
  it('starts another host beside one that is up, and sends to it once it is up too', async () => {
    const { hosts, frames, run, scheduler } = schedulerOf({ startsAtOnce: false });
    run(endpoint('a'), 48);
    await dispatched();
    hosts[0]?.becomeReady(0);
    run(endpoint('a'), 20);
    await dispatched();
    scheduler.schedule();
    await dispatched();
    expect(frames()).toEqual([[16, 16, 16], []]);
    answer(hosts[0] as FakeHost);
    scheduler.schedule();
    await dispatched();
    expect(frames()).toEqual([[16, 16, 16, 16], []]);
    hosts[1]?.becomeReady(0);
    scheduler.schedule();
    await dispatched();
    expect(frames()).toEqual([[16, 16, 16, 16], [4]]);
  });

  it.each(['default', null])(
    'rejects nothing that waits beside a busy host for another one to start (%s)',
    async (domain) => {
      const { hosts, run, scheduler, tick } = schedulerOf();
      const moduleVersion = endpoint('a');
      run(moduleVersion, 48);
      await dispatched();
      hosts.push(fakeHost({ domain, isReady: false }));
      const [waiting] = run(moduleVersion);
      await dispatched();
      tick(1500);
      scheduler.rejectExpired(1500);
      hosts[1]?.becomeReady(1500);
      scheduler.onHostReady(hosts[1] as FakeHost);
      scheduler.rejectExpired(2400);
      scheduler.schedule();
      await dispatched();
      answer(hosts[1] as FakeHost);
      expect(await waiting).toEqual(RESULT);
    },
  );

  it('does not count the start of a host as waiting', async () => {
    const { run, scheduler, hosts, tick } = schedulerOf({ busyHosts: 1, startable: 1 });
    run(endpoint('a'));
    const [waiting] = run(endpoint('b'));
    await dispatched();
    const [host] = hosts as [FakeHost];
    const [sent] = [...host.invocations.values()];
    tick(5000);
    scheduler.onHostReady(host);
    expect(sent?.waitsSince).toBe(5000);
    tick(500);
    scheduler.onHostReady(fakeHost({ domain: null }));
    scheduler.rejectExpired(6000);
    run(endpoint('b'));
    scheduler.rejectExpired(6001);
    expect(await waiting).toMatchObject({ code: 'ENDPOINT_BUSY' });
  });

  it('rejects nothing that waits for a host to start', async () => {
    const { run, scheduler, hosts } = schedulerOf({ busyHosts: 1, startable: 1 });
    hosts.push(fakeHost({ domain: null, isReady: false }));
    run(endpoint('a'));
    const [waiting] = run(endpoint('b'));
    await dispatched();
    scheduler.rejectExpired(5000);
    hosts[0]?.becomeReady(5000);
    scheduler.onHostReady(hosts[0] as FakeHost);
    answer(hosts[0] as FakeHost);
    scheduler.schedule();
    await dispatched();
    expect(hosts[0]?.queue?.moduleId).toBe('endpoint:1.0/b');
    answer(hosts[0] as FakeHost);
    expect(await waiting).toEqual(RESULT);
  });
});
