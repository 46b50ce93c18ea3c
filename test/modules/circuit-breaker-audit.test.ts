import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuditThrottle } from '../../src/modules/circuit-breaker.ts';

const START = Date.parse('2040-01-01T00:00:00Z');

beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => vi.useRealTimers());

function open() {
  const written: string[] = [];
  const tally = createAuditThrottle({
    now: Date.now,
    write: ({ action, target }) => written.push(`${action} ${target}`),
  });
  const add = (target: string, action = 'host.killed') =>
    tally.add({ action, target, actor: null, before: 'a', after: 'a' });
  return { written, tally, add };
}

describe('the audit throttle', () => {
  it('writes the first entry of a kind at once and the count of the others a minute later', () => {
    const { written, add } = open();
    for (let count = 0; count < 5; count += 1) add('/1.0/a#x');
    add('/1.0/a#x', 'host.crashed');
    expect(written).toEqual(['host.killed /1.0/a#x', 'host.crashed /1.0/a#x']);
    vi.advanceTimersByTime(60_000);
    expect(written.slice(2)).toEqual(['host.killed /1.0/a#x (4 more since 2040-01-01T00:00:00.000Z)']);
    add('/1.0/a#x');
    expect(written).toHaveLength(4);
  });

  it('only counts entries above sixty kinds in a minute', () => {
    const { written, tally, add } = open();
    for (let kind = 0; kind < 62; kind += 1) add(`/1.0/a#${kind}`);
    add('/1.0/a#61');
    expect(written).toHaveLength(60);
    tally.flush();
    expect(written.slice(60)).toEqual([
      'host.killed /1.0/a#60 (1 since 2040-01-01T00:00:00.000Z)',
      'host.killed /1.0/a#61 (2 since 2040-01-01T00:00:00.000Z)',
    ]);
  });
});
