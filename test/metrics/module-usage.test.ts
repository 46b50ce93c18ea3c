import { describe, expect, it } from 'vitest';
import { MAX_MODULES, ModuleUsage } from '../../src/metrics/module-usage.ts';
import type { InvocationRequest, InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { threadCpuMs } from '../../src/workers/match-patterns.ts';
import { TRIES } from '../helpers/server-process/timing.ts';

const MINUTE = 60_000;
const ID = 'endpoint:1.0/report';

function usageAt(start: number) {
  let time = start;
  const usage = new ModuleUsage(() => time);
  return { usage, tick: (ms: number) => (time += ms) };
}

describe('what a module has used', () => {
  it('is counted by the minute, and summed up', () => {
    const { usage, tick } = usageAt(100 * MINUTE + 30_000);
    usage.addCall(ID, false);
    usage.addCall(ID, true);
    usage.addCpu(ID, 1.5);
    usage.seeHeap(ID, 3 * 1024 * 1024);
    tick(MINUTE);
    usage.addCall(ID, false);
    usage.addCpu(ID, 0.25);
    usage.seeHeap(ID, 2 * 1024 * 1024);
    const { buckets, ...rest } = usage.report(ID);
    expect(rest).toEqual({
      from: 42 * MINUTE,
      to: 101 * MINUTE + 30_000,
      calls: 3,
      errors: 1,
      cpuMs: 1.75,
      maxHeapMb: 3,
    });
    expect(buckets).toHaveLength(60);
    expect(buckets.slice(-2)).toEqual([
      { at: 100 * MINUTE, calls: 2, errors: 1, cpuMs: 1.5 },
      { at: 101 * MINUTE, calls: 1, errors: 0, cpuMs: 0.25 },
    ]);
    expect(buckets[0]).toEqual({ at: 42 * MINUTE, calls: 0, errors: 0, cpuMs: 0 });
  });

  it('is forgotten after an hour, also where nothing has happened since', () => {
    const { usage, tick } = usageAt(1000 * MINUTE);
    usage.addCall(ID, true);
    usage.seeHeap(ID, 5);
    tick(59 * MINUTE);
    expect(usage.report(ID)).toMatchObject({ calls: 1, errors: 1 });
    tick(MINUTE);
    expect(usage.report(ID)).toMatchObject({ calls: 0, errors: 0, maxHeapMb: null });
    usage.addCall(ID, false);
    expect(usage.report(ID)).toMatchObject({ calls: 1, errors: 0 });
  });

  it('is nothing for a module that was never called', () => {
    const report = usageAt(0).usage.report('hook:none');
    expect(report).toMatchObject({ calls: 0, errors: 0, cpuMs: 0, maxHeapMb: null });
  });

  it('is kept of a thousand modules, those that were used last', () => {
    const { usage, tick } = usageAt(1000 * MINUTE);
    for (let n = 0; n < MAX_MODULES; n += 1) usage.addCall(`hook:${n}`, false);
    tick(MINUTE);
    usage.addCall('hook:0', false);
    usage.addCall('hook:more', false);
    const calls = ['0', '1', '2', 'more'].map((name) => usage.report(`hook:${name}`).calls);
    expect(calls).toEqual([2, 0, 1, 1]);
  });

  it('costs less than a microsecond of processor time a call', () => {
    const usage = new ModuleUsage(Date.now);
    const ids = Array.from({ length: MAX_MODULES }, (_, n) => `hook:${n}`);
    const rounds = 500;
    const times = Array.from({ length: TRIES }, () => {
      const before = threadCpuMs();
      for (let n = 0; n < rounds; n += 1) {
        for (const id of ids) {
          usage.addCall(id, false);
          usage.addCpu(id, 0.1);
        }
      }
      return threadCpuMs() - before;
    });
    expect((Math.min(...times) * 1000) / (rounds * ids.length)).toBeLessThan(1);
  });
});

describe('invocations', () => {
  const FAILURE = { kind: 'failure', message: '' } as const;
  const run = async (kind: 'endpoint' | 'hook', result: InvocationResult) => {
    const { usage } = usageAt(0);
    const { invoke } = usage.around({ invoke: async () => result });
    const request = { moduleVersion: { id: ID, kind } } as unknown as InvocationRequest;
    expect(await invoke(request)).toBe(result);
    const { calls, errors } = usage.report(ID);
    return [calls, errors];
  };

  it('that failed are errors, and those that a hook waits with are none yet', async () => {
    expect(await run('endpoint', { kind: 'response', status: 500, headers: [], body: '' })).toEqual([1, 0]);
    expect(await run('hook', { kind: 'result', json: undefined })).toEqual([1, 0]);
    expect(await run('endpoint', { kind: 'next' })).toEqual([1, 0]);
    expect(await run('endpoint', { kind: 'next', error: { message: '' } })).toEqual([1, 1]);
    expect(await run('hook', { ...FAILURE, code: 'ENDPOINT_ERROR' })).toEqual([1, 1]);
    expect(await run('endpoint', { ...FAILURE, code: 'ENDPOINT_BUSY' })).toEqual([1, 1]);
    expect(await run('hook', { ...FAILURE, code: 'ENDPOINT_BUSY' })).toEqual([0, 0]);
  });

  it('tell the metrics too what they use', () => {
    const { usage } = usageAt(0);
    const heard: unknown[] = [];
    const observer = usage.observer({
      onStarted: (ms) => heard.push(ms),
      onCpu: (id, ms) => heard.push([id, ms]),
    });
    observer.onStarted(3);
    observer.onCpu(ID, 5);
    observer.onHeap?.(ID, 1024 * 1024);
    expect(heard).toEqual([3, [ID, 5]]);
    expect(usage.report(ID)).toMatchObject({ cpuMs: 5, maxHeapMb: 1 });
  });
});
