import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Inspection } from '../../sandbox/protocol.ts';
import type { Host } from '../../src/sandbox-supervisor/host.ts';
import { createInspector } from '../../src/sandbox-supervisor/inspector.ts';
import { acceptedInspection } from '../helpers/sandbox/inspection.ts';
import { type FakeHost, fakeHost } from '../helpers/sandbox/sandbox.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const FOUND: Inspection = acceptedInspection({ methods: [] });

function inspectorOf({ available = 10, isReady = true } = {}) {
  const hosts: FakeHost[] = [];
  const killed: Host[] = [];
  const pool = { isBroken: false, available };
  const inspector = createInspector({
    now: () => 7,
    pool: {
      acquire(domain) {
        if (hosts.length >= pool.available) return null;
        const host = fakeHost({ domain, isReady });
        hosts.push(host);
        return host;
      },
      kill(host) {
        killed.push(host);
        inspector.onHostExit(host);
      },
      isBroken: () => pool.isBroken,
      keepSpare: () => undefined,
    },
  });
  const answer = (n: number, id: number) =>
    inspector.onInspected(hosts[n] as Host, { t: 'inspected', id, inspection: FOUND });
  return { inspector, hosts, killed, pool, answer };
}

describe('inspections', () => {
  it('are sent one after the other', async () => {
    const { inspector, hosts, answer } = inspectorOf();
    const first = inspector.inspect('a', 'endpoint', null);
    const second = inspector.inspect('b', 'hook', null);
    const message = { t: 'inspect', id: 1, kind: 'endpoint', loadMs: 300, heapMb: 64 };
    expect(hosts.map(({ sent, isBusy }) => [sent, isBusy])).toEqual([[[{ message, texts: ['a'] }], true]]);
    expect(answer(0, 1)).toBe(true);
    expect(await first).toBe(FOUND);
    expect(hosts.map(({ isBusy }) => isBusy)).toEqual([false, true]);
    answer(1, 2);
    expect(await second).toBe(FOUND);
  });

  it('accept no result from a host that was not sent one', () => {
    const { inspector, answer, hosts } = inspectorOf();
    expect(inspector.onInspected(fakeHost(), { t: 'inspected', id: 0, inspection: FOUND })).toBe(false);
    void inspector.inspect('a', 'endpoint', null);
    expect(answer(0, 2)).toBe(false);
    expect(answer(0, 1)).toBe(true);
    expect(hosts).toHaveLength(1);
    expect(answer(0, 1)).toBe(false);
  });

  it('time out after two seconds, counted from when the host is ready', async () => {
    const { inspector, hosts, killed } = inspectorOf({ isReady: false });
    const result = inspector.inspect('a', 'endpoint', null);
    vi.advanceTimersByTime(5000);
    expect(killed).toEqual([]);
    inspector.onHostReady(hosts[0] as Host);
    vi.advanceTimersByTime(1999);
    expect(killed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(killed).toEqual([hosts[0]]);
    const tooLong = { ok: false, code: 'ENDPOINT_LOAD', message: expect.stringContaining('long') };
    expect(await result).toMatchObject(tooLong);
  });

  it('are retried once when the host exits', async () => {
    const { inspector, hosts } = inspectorOf();
    const result = inspector.inspect('a', 'endpoint', null);
    inspector.onHostExit(hosts[0] as Host);
    inspector.onHostExit(fakeHost());
    expect(hosts).toHaveLength(2);
    inspector.onHostExit(hosts[1] as Host);
    expect(await result).toMatchObject({ ok: false, code: 'ENDPOINT_LOAD' });
    vi.advanceTimersByTime(10_000);
  });

  it('do not blame the code for a host that never started', async () => {
    const { inspector, hosts, pool } = inspectorOf({ isReady: false });
    const result = inspector.inspect('a', 'endpoint', null);
    for (let n = 0; n < 5; n += 1) inspector.onHostExit(hosts[n] as Host);
    expect(hosts).toHaveLength(6);
    // No other may be started now.
    pool.isBroken = true;
    pool.available = 6;
    const rejected = expect(result).rejects.toMatchObject({ code: 'SANDBOX_DISABLED' });
    inspector.onHostExit(hosts[5] as Host);
    await rejected;
  });

  it('try again after hosts did not come up: nothing else may start one', async () => {
    const { inspector, hosts, pool, answer } = inspectorOf();
    pool.isBroken = true;
    const result = inspector.inspect('a', 'endpoint', null);
    expect(hosts).toHaveLength(1);
    answer(0, 1);
    expect(await result).toBe(FOUND);
  });

  it('wait for a host, at most 2000 of them', async () => {
    const { inspector, hosts, pool } = inspectorOf({ available: 0 });
    for (let n = 0; n < 2000; n += 1) inspector.inspect('a', 'endpoint', null).catch(() => undefined);
    await expect(inspector.inspect('a', 'endpoint', null)).rejects.toMatchObject({ code: 'ENDPOINT_BUSY' });
    pool.available = 1;
    inspector.next();
    expect(hosts).toHaveLength(1);
  });

  it('are rejected after the inspector was closed', async () => {
    const { inspector } = inspectorOf({ available: 0 });
    const waiting = inspector.inspect('a', 'endpoint', null);
    inspector.close();
    const disabled = { code: 'SANDBOX_DISABLED' };
    await expect(waiting).rejects.toMatchObject(disabled);
    await expect(inspector.inspect('a', 'endpoint', null)).rejects.toMatchObject(disabled);
  });
});
