// Memory that several requests of a module use together: who is blamed, what counts, and what becomes of the others.
import { describe, expect, it } from 'vitest';
import type { Incident, InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import {
  createModuleVersion,
  invocationRequest,
  type ModuleVersionOptions,
  openSandbox,
} from '../helpers/sandbox/sandbox.ts';

const codeOf = (result: InvocationResult) => (result.kind === 'failure' ? result.code : result.kind);
const tally = (results: readonly InvocationResult[]) => {
  const counts: Record<string, number> = {};
  for (const result of results) counts[codeOf(result)] = (counts[codeOf(result)] ?? 0) + 1;
  return counts;
};
const exits = (incidents: readonly Incident[]) =>
  incidents
    .filter(({ kind }) => kind !== 'violation')
    .map(({ limit, counts }) => `${limit} ${counts === true ? 'counts' : 'is recorded'}`);

const FILL = 'for (const all = []; ; ) all.push(new Array(1000).fill(all));';
const ABORT = '"x".repeat(2e8).split("");';

/** A module version, and calls of it with an order in the query. Where it waits, it waits until `release`. */
function moduleOf(source: string, options: ModuleVersionOptions = {}) {
  const { sandbox, incidents } = openSandbox();
  const moduleVersion = createModuleVersion(source, options);
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const performGuestCall = () =>
    new Promise<{ ok: true; text: string }>((resolve) => {
      const go = () => resolve({ ok: true, text: '{}' });
      if (isOpen) go();
      else waiting.push(go);
    });
  const call = (order = '', body = '') => {
    const request = invocationRequest(moduleVersion, { query: { do: order }, body, performGuestCall });
    const head = request.head.replace('"bodyType":"none"', '"bodyType":"text"');
    return sandbox.invoke({ ...request, head });
  };
  const release = () => {
    isOpen = true;
    for (const go of waiting.splice(0)) go();
  };
  return { call, incidents, release, waits: () => waiting.length };
}

describe('one request that exhausts the heap', () => {
  it('among several of a frame counts once, and the others get their responses', async () => {
    const { call, incidents } = moduleOf(
      `module.exports.get = (req, res) => { if (req.query.do === 'fill') ${FILL} res.end('x') }`,
      { limits: { heapMb: 16 } },
    );
    await call();
    for (const place of [0, 3, 7]) {
      incidents.length = 0;
      const results = Array.from({ length: 8 }, (_, n) => call(n === place ? 'fill' : ''));
      expect(tally(await Promise.all(results))).toEqual({ response: 7, ENDPOINT_MEMORY: 1 });
      expect(exits(incidents).filter((exit) => exit === 'heapMb counts')).toHaveLength(1);
    }
  });

  it.each([
    ['its isolate', FILL, 'heapMb'],
    ['its process', ABORT, 'hostMemory'],
  ])('beside some that wait ends %s uncounted, then runs alone and counts', async (_, exhaust, limit) => {
    const { call, incidents, release, waits } = moduleOf(
      `module.exports.get = async (req, res) => {
        if (req.query.do === 'exhaust') ${exhaust}
        await Model('books').find({});
        res.end('x');
      }`,
      { limits: { heapMb: 16 } },
    );
    const first = call('through');
    await expect.poll(waits).toBe(1);
    const others = [call(), call()];
    await expect.poll(waits).toBe(3);
    const bad = call('exhaust');
    expect(codeOf(await bad)).toBe('ENDPOINT_MEMORY');
    release();
    expect(tally(await Promise.all([first, ...others]))).toEqual({ response: 3 });
    expect(exits(incidents)).toEqual([`${limit} is recorded`, `${limit} counts`]);
    // From then on each runs alone, and is certain to be the culprit at once.
    const next = await Promise.all([call(), call('exhaust'), call()]);
    expect(tally(next)).toEqual({ response: 2, ENDPOINT_MEMORY: 1 });
    expect(exits(incidents)).toEqual([`${limit} is recorded`, `${limit} counts`, `${limit} counts`]);
  });
});

describe('requests that exhaust the heap only together', () => {
  it('are not blamed, get their responses one by one, and cannot do so again for a minute', async () => {
    const { call, incidents, release, waits } = moduleOf(
      `module.exports.get = async (req, res) => {
        const kept = req.query.do === 'keep' ? new Array(2_500_000).fill(1) : [];
        await Model('books').find({});
        res.end(String(kept.length));
      }`,
      { limits: { heapMb: 48 } },
    );
    const warm = call();
    await expect.poll(waits).toBe(1);
    // Twenty megabytes each, one after the other, so that all wait in one host, until an isolate of it is full.
    const together = [];
    while (incidents.length === 0) {
      const before = waits();
      together.push(call('keep'));
      await expect.poll(() => waits() + incidents.length).toBeGreaterThan(before);
    }
    release();
    const results = await Promise.all([warm, ...together]);
    expect(tally(results)).toEqual({ response: results.length });
    const again = Array.from({ length: 8 }, () => call('keep'));
    expect(tally(await Promise.all(again))).toEqual({ response: 8 });
    expect(exits(incidents)).toEqual(['heapMb is recorded']);
  });
});

describe('large requests', () => {
  // A heap of 16 MB is full where more than a few of them wait beside each other.
  it.each([64, 16])(
    'of sixteen callers at once are all answered by a module that waits, in %d MB',
    async (heapMb) => {
      const { call, incidents } = moduleOf(
        `module.exports.get = async (req, res) => {
        const { length } = req.body;
        await new Promise((go) => setTimeout(go, 200));
        res.end(String(length + req.body.length));
      }`,
        { limits: { heapMb } },
      );
      await call();
      // Four megabytes, sent as in the heap.
      const body = 'я'.repeat(2_000_000);
      const results = await Promise.all(Array.from({ length: 16 }, () => call('', body)));
      expect(results.map((result) => (result.kind === 'response' ? result.body : codeOf(result)))).toEqual(
        results.map(() => '4000000'),
      );
      expect(incidents).toEqual([]);
    },
  );
});
