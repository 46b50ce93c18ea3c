import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Inspection } from '../../sandbox/protocol.ts';
import { createInspector } from '../../src/sandbox-supervisor/inspector.ts';
import type { Host } from '../../src/sandbox-supervisor/state.ts';
import { type FakeHost, fakeHost } from '../helpers/fake-host.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const FOUND: Inspection = { ok: true, methods: [], settings: {}, route: null, warnings: [], isolation: null };

function inspectionsOf({ available = 10, state = 'ready' as Host['state'] } = {}) {
  const hosts: FakeHost[] = [];
  const killed: FakeHost[] = [];
  const pool = { isBroken: false, available };
  const inspections = createInspector({
    now: () => 7,
    pool: {
      take() {
        if (hosts.length >= pool.available) return null;
        const host = fakeHost({ state });
        hosts.push(host);
        return host;
      },
      kill(host) {
        killed.push(host as FakeHost);
        inspections.fell(host);
      },
      isBroken: () => pool.isBroken,
      keepSpare: () => undefined,
    },
  });
  const answer = (n: number, id: number) =>
    inspections.inspected(hosts[n] as Host, { t: 'inspected', id, inspection: FOUND });
  return { inspections, hosts, killed, pool, answer };
}

describe('inspections', () => {
  it('go one after the other', async () => {
    const { inspections, hosts, answer } = inspectionsOf();
    const first = inspections.inspect('a', 'endpoint', null);
    const second = inspections.inspect('b', 'hook', null);
    expect(hosts.map(({ sent, inspecting }) => [sent, inspecting])).toEqual([
      [[{ message: { t: 'inspect', id: 1, kind: 'endpoint', loadMs: 300, heapMb: 64 }, texts: ['a'] }], true],
    ]);
    expect(answer(0, 1)).toBe(true);
    expect(await first).toBe(FOUND);
    expect(hosts.map(({ inspecting }) => inspecting)).toEqual([false, true]);
    answer(1, 2);
    expect(await second).toBe(FOUND);
  });

  it('are not taken from a host that was not asked', () => {
    const { inspections, answer, hosts } = inspectionsOf();
    expect(inspections.inspected(fakeHost(), { t: 'inspected', id: 0, inspection: FOUND })).toBe(false);
    void inspections.inspect('a', 'endpoint', null);
    expect(answer(0, 2)).toBe(false);
    expect(answer(0, 1)).toBe(true);
    expect(hosts).toHaveLength(1);
    expect(answer(0, 1)).toBe(false);
  });

  it('end after two seconds, counted from when the host is ready', async () => {
    const { inspections, hosts, killed } = inspectionsOf({ state: 'starting' });
    const result = inspections.inspect('a', 'endpoint', null);
    vi.advanceTimersByTime(5000);
    expect(killed).toEqual([]);
    inspections.ready(hosts[0] as Host);
    vi.advanceTimersByTime(1999);
    expect(killed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(killed).toEqual([hosts[0]]);
    expect(await result).toMatchObject({
      ok: false,
      code: 'ENDPOINT_LOAD',
      message: expect.stringContaining('long'),
    });
  });

  it('are tried twice when the host dies', async () => {
    const { inspections, hosts } = inspectionsOf();
    const result = inspections.inspect('a', 'endpoint', null);
    inspections.fell(hosts[0] as Host);
    inspections.fell(fakeHost());
    expect(hosts).toHaveLength(2);
    inspections.fell(hosts[1] as Host);
    expect(await result).toMatchObject({ ok: false, code: 'ENDPOINT_LOAD' });
    vi.advanceTimersByTime(10_000);
  });

  it('do not blame the code for a host that never started', async () => {
    const { inspections, hosts, pool } = inspectionsOf({ state: 'starting' });
    const result = inspections.inspect('a', 'endpoint', null);
    for (let n = 0; n < 5; n += 1) inspections.fell(hosts[n] as Host);
    expect(hosts).toHaveLength(6);
    pool.isBroken = true;
    const refused = expect(result).rejects.toMatchObject({ code: 'SANDBOX_DISABLED' });
    inspections.fell(hosts[5] as Host);
    await refused;
  });

  it('wait for a host, but not endlessly many of them', async () => {
    const { inspections, hosts, pool } = inspectionsOf({ available: 0 });
    for (let n = 0; n < 2000; n += 1) inspections.inspect('a', 'endpoint', null).catch(() => undefined);
    await expect(inspections.inspect('a', 'endpoint', null)).rejects.toMatchObject({ code: 'ENDPOINT_BUSY' });
    pool.available = 1;
    inspections.next();
    expect(hosts).toHaveLength(1);
  });

  it('are refused after the end', async () => {
    const { inspections } = inspectionsOf({ available: 0 });
    const waiting = inspections.inspect('a', 'endpoint', null);
    inspections.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SANDBOX_DISABLED' });
    await expect(inspections.inspect('a', 'endpoint', null)).rejects.toMatchObject({
      code: 'SANDBOX_DISABLED',
    });
  });
});
