import { describe, expect, it } from 'vitest';
import { newState, type VersionFacts } from '../../../src/endpoints/modules/records.ts';
import {
  activated,
  counted,
  removed,
  resumed,
  suspended,
  violated,
  waiting,
} from '../../../src/endpoints/modules/transitions.ts';

const blank = newState('hook:x');
const facts = (version: number) => ({ version, sha256: `${version}` }) as VersionFacts;
const violation = { kind: 'violation', limit: 'logBytes', at: 1, version: 1 } as const;

describe('the state of a module', () => {
  it('counts versions, and never back', () => {
    expect(counted(blank, 3).last).toBe(3);
    expect(counted(counted(blank, 3), 2).last).toBe(3);
    expect(waiting(waiting(blank, 1), 2)).toMatchObject({ last: 2, pending: [1, 2], active: null });
  });

  it('starts anew with new code', () => {
    const bad = suspended(violated(activated(blank, facts(1)), { ...violation, kind: 'crash' }), 'breaker');
    expect(bad).toMatchObject({ quarantined: true, suspendedBy: 'breaker' });
    expect(activated(bad, facts(2))).toMatchObject({
      active: { version: 2 },
      quarantined: false,
      suspendedBy: null,
      violations: [{ kind: 'crash' }],
    });
  });

  it('keeps what an admin decided', () => {
    const held = suspended(activated(blank, facts(1)), 'admin');
    expect(suspended(held, 'breaker').suspendedBy).toBe('admin');
    expect(activated(held, facts(2)).suspendedBy).toBe('admin');
    expect(removed(held, false).suspendedBy).toBe('admin');
    expect(removed(held, true).suspendedBy).toBeNull();
    expect(resumed(held).suspendedBy).toBeNull();
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
    expect(removed(waiting(activated(blank, facts(1)), 2), true)).toEqual({
      ...blank,
      last: 2,
      removedAt: 2,
    });
  });
});
