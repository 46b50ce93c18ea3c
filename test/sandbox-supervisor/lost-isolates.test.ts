// Result frames that tell of a lost isolate: what is reported, and what is left to the exit of the host.
import { describe, expect, it } from 'vitest';
import { bodiesOf, END, resultsOf } from '../helpers/sandbox/results.ts';
import type { FakeInvocation } from '../helpers/sandbox/sandbox.ts';

describe('a result frame about a lost isolate', () => {
  const memory = (...numbers: number[]) => ({ errors: numbers.map((n) => [n, 'memory', 'x'] as const) });

  it('reports one that was of a request alone as an incident that counts, also behind its answer', () => {
    const { receive, incidents, invocations } = resultsOf(1, 1);
    const [{ moduleVersion }] = invocations as [FakeInvocation];
    const { id: moduleId, version, sha256 } = moduleVersion;
    const counted = { moduleId, version, sha256, kind: 'violation', limit: 'heapMb', counts: true };
    receive([], memory(1));
    expect(incidents).toEqual([counted]);
    expect(receive([[2, 'end', END, 'a']], memory(2))).toBeNull();
    expect([bodiesOf(invocations), incidents]).toEqual([
      ['failure', 'a'],
      [counted, counted],
    ]);
  });

  it('leaves the counting to the end of the process, where that follows', () => {
    const { receive, incidents } = resultsOf(1, 1);
    receive([], { ...memory(1), disposed: true });
    receive([[2, 'end', END, 'a']], { ...memory(2), disposed: true });
    expect(incidents.map(({ limit, counts }) => [limit, counts])).toEqual([['heapMb', undefined]]);
  });
});

describe('a result frame about an isolate that several may have exhausted', () => {
  const lost = { disposed: true };

  it('leaves what it did not answer, or gave back, to the end of the host', () => {
    const { receive, host, requeued, invocations, incidents } = resultsOf(4);
    expect(receive([[1, 'end', END, 'a']], { ...lost, returned: [3, 4] })).toBeNull();
    expect([bodiesOf(invocations), requeued, incidents]).toEqual([
      ['a', undefined, undefined, undefined],
      [],
      [],
    ]);
    expect(host.invocations.values()).toEqual(invocations.slice(1));
  });

  it('is still checked', () => {
    expect(resultsOf(2, 1).receive([], { ...lost, returned: [3] })).toBe('protocol');
    expect(resultsOf(2, 1).receive([[3, 'end', END, 'a']], lost)).toBe('protocol');
  });
});
