import { describe, expect, it } from 'vitest';
import { newState, type VersionFacts } from '../../../src/endpoints/modules/records.ts';
import {
  activated,
  counted,
  ended,
  endedTooMany,
  forgiven,
  removed,
  resumed,
  suspended,
  violated,
  waiting,
} from '../../../src/endpoints/modules/transitions.ts';

const blank = newState('hook:x');
const facts = (version: number) => ({ version, sha256: `${version}` }) as VersionFacts;
const crash = { kind: 'crash', limit: 'heapMb', at: 1, version: 1 } as const;
const violation = { kind: 'violation', limit: 'logBytes', at: 1, version: 1 } as const;

describe('the state of a module', () => {
  it('counts versions, and never back', () => {
    expect(counted(blank, 3).last).toBe(3);
    expect(counted(counted(blank, 3), 2).last).toBe(3);
    expect(waiting(waiting(blank, 1), 2)).toMatchObject({ last: 2, pending: [1, 2], active: null });
  });

  it('starts anew with new code', () => {
    const bad = suspended(ended(activated(blank, facts(1)), crash, '1'), { by: 'breaker', at: 5 });
    expect(bad).toMatchObject({ quarantined: true, suspendedBy: 'breaker', suspendedAt: 5 });
    expect(activated(bad, facts(2))).toMatchObject({
      active: { version: 2 },
      ...{ quarantined: false, suspendedBy: null, suspendedAt: null },
      ...{ violations: [{ kind: 'crash' }], ends: [1] },
    });
  });

  it('is not suspended anew by what code that was suspended still ends behind it', () => {
    const all = [1, 2, 3].reduce(
      (state, at) => ended(state, { ...crash, at }, '1'),
      activated(blank, facts(1)),
    );
    const mended = activated(suspended(all, { by: 'breaker', at: 3 }), facts(2));
    expect(ended(mended, { ...crash, at: 4 }, '1')).toMatchObject({ quarantined: false, ends: [1, 2, 3] });
    expect(ended(mended, { ...crash, at: 4, version: 2 }, '2')).toMatchObject({
      quarantined: true,
      ends: [2, 3, 4],
    });
  });

  it('does not start anew with code that has ended a process under this name', () => {
    const bad = suspended(ended(activated(blank, facts(1)), crash, '1'), { by: 'breaker', at: 5 });
    const again = { ...facts(2), sha256: '1' };
    for (const before of [bad, removed(bad), activated(bad, facts(3))]) {
      expect(activated(before, again).quarantined).toBe(true);
    }
    expect(activated(bad, again).suspendedBy).toBe('breaker');
    expect(activated(removed(bad), again).suspendedBy).toBe('breaker');
  });

  it('counts the ends of processes of a name, whatever version it was, until a person forgives', () => {
    let state = activated(blank, facts(1));
    for (const at of [1, 100_000]) state = ended(state, { ...crash, at }, '1');
    state = ended(activated(state, facts(2)), { ...crash, at: 300_000 }, '1');
    expect(state).toMatchObject({ quarantined: false, faulty: ['1'] });
    expect(endedTooMany(state, 300_000)).toBe(true);
    expect(endedTooMany(state, 300_001)).toBe(false);
    expect(endedTooMany(removed(state), 300_000)).toBe(true);
    expect(endedTooMany(forgiven(state), 300_000)).toBe(false);
  });

  it('keeps what a person decided, and who did', () => {
    const held = suspended(activated(blank, facts(1)), { by: 'admin', clientId: 'ann', at: 7 });
    const byAnn = { suspendedBy: 'admin', suspendedClient: 'ann', suspendedAt: 7 };
    expect(suspended(held, { by: 'breaker', at: 9 })).toMatchObject(byAnn);
    expect(suspended(held, { by: 'admin', clientId: 'bob', at: 9 })).toMatchObject(byAnn);
    expect(activated(held, facts(2))).toMatchObject(byAnn);
    expect(removed(held)).toMatchObject(byAnn);
    expect(suspended(held, { by: 'operator', at: 9 })).toMatchObject({
      ...{ suspendedBy: 'operator', suspendedClient: null, suspendedAt: 9 },
    });
    expect(resumed(held)).toMatchObject({ suspendedBy: null, suspendedClient: null, suspendedAt: null });
  });

  it('is overtaken by later versions only', () => {
    const state = waiting(waiting(waiting(blank, 1), 2), 3);
    expect(activated(state, facts(2)).pending).toEqual([3]);
  });

  it('keeps the last twenty violations, which alone are no reason for quarantine', () => {
    let state = blank;
    for (let at = 0; at < 30; at += 1) state = violated(state, { ...violation, at });
    expect(state.violations.map(({ at }) => at)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 10),
    );
    expect(state.quarantined).toBe(false);
  });

  it('remembers its numbers when it is removed', () => {
    expect(removed(waiting(activated(blank, facts(1)), 2))).toEqual({
      ...blank,
      last: 2,
      removedAt: 2,
    });
  });
});
