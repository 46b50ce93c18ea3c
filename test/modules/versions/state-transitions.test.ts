import { describe, expect, it } from 'vitest';
import { initialModuleState, type VersionRecord } from '../../../src/modules/versions/module-records.ts';
import {
  hasTooManyProcessEnds,
  withActiveVersion,
  withoutSuspension,
  withPendingVersion,
  withProcessEnd,
  withRemoval,
  withResume,
  withSuspension,
  withVersion,
  withViolation,
} from '../../../src/modules/versions/state-transitions.ts';

const blank = initialModuleState('hook:x');
const facts = (version: number) => ({ version, sha256: `${version}` }) as VersionRecord;
const crash = { kind: 'crash', limit: 'heapMb', at: 1, version: 1 } as const;
const violation = { kind: 'violation', limit: 'logBytes', at: 1, version: 1 } as const;

describe('the state of a module', () => {
  it('counts versions up only', () => {
    expect(withVersion(blank, 3).last).toBe(3);
    expect(withVersion(withVersion(blank, 3), 2).last).toBe(3);
    expect(withPendingVersion(withPendingVersion(blank, 1), 2)).toMatchObject({
      last: 2,
      pending: [1, 2],
      active: null,
    });
  });

  it('lifts a suspension of the breaker for new code', () => {
    const bad = withSuspension(withProcessEnd(withActiveVersion(blank, facts(1)), crash, '1'), {
      by: 'breaker',
      at: 5,
    });
    expect(bad).toMatchObject({ quarantined: true, suspendedBy: 'breaker', suspendedAt: 5 });
    expect(withActiveVersion(bad, facts(2))).toMatchObject({
      active: { version: 2 },
      quarantined: false,
      suspendedBy: null,
      suspendedAt: null,
      violations: [{ kind: 'crash' }],
      ends: [1],
    });
  });

  it('is not suspended by later ends of code that was suspended', () => {
    const all = [1, 2, 3].reduce(
      (state, at) => withProcessEnd(state, { ...crash, at }, '1'),
      withActiveVersion(blank, facts(1)),
    );
    const mended = withActiveVersion(withSuspension(all, { by: 'breaker', at: 3 }), facts(2));
    expect(withProcessEnd(mended, { ...crash, at: 4 }, '1')).toMatchObject({
      quarantined: false,
      ends: [1, 2, 3],
    });
    expect(withProcessEnd(mended, { ...crash, at: 4, version: 2 }, '2')).toMatchObject({
      quarantined: true,
      ends: [2, 3, 4],
    });
  });

  it('stays suspended for code that has ended a process under this name', () => {
    const bad = withSuspension(withProcessEnd(withActiveVersion(blank, facts(1)), crash, '1'), {
      by: 'breaker',
      at: 5,
    });
    const again = { ...facts(2), sha256: '1' };
    for (const before of [bad, withRemoval(bad), withActiveVersion(bad, facts(3))]) {
      expect(withActiveVersion(before, again).quarantined).toBe(true);
    }
    expect(withActiveVersion(bad, again).suspendedBy).toBe('breaker');
    expect(withActiveVersion(withRemoval(bad), again).suspendedBy).toBe('breaker');
  });

  it('counts the ends of processes of all versions until a person resumes', () => {
    let state = withActiveVersion(blank, facts(1));
    for (const at of [1, 100_000]) state = withProcessEnd(state, { ...crash, at }, '1');
    state = withProcessEnd(withActiveVersion(state, facts(2)), { ...crash, at: 300_000 }, '1');
    expect(state).toMatchObject({ quarantined: false, faulty: ['1'] });
    expect(hasTooManyProcessEnds(state, 300_000)).toBe(true);
    expect(hasTooManyProcessEnds(state, 300_001)).toBe(false);
    expect(hasTooManyProcessEnds(withRemoval(state), 300_000)).toBe(true);
    expect(hasTooManyProcessEnds(withResume(state), 300_000)).toBe(false);
  });

  it('keeps the suspension of a person and its author', () => {
    const held = withSuspension(withActiveVersion(blank, facts(1)), { by: 'admin', clientId: 'ann', at: 7 });
    const byAnn = { suspendedBy: 'admin', suspendedClient: 'ann', suspendedAt: 7 };
    expect(withSuspension(held, { by: 'breaker', at: 9 })).toMatchObject(byAnn);
    expect(withSuspension(held, { by: 'admin', clientId: 'bob', at: 9 })).toMatchObject(byAnn);
    expect(withActiveVersion(held, facts(2))).toMatchObject(byAnn);
    expect(withRemoval(held)).toMatchObject(byAnn);
    expect(withSuspension(held, { by: 'operator', at: 9 })).toMatchObject({
      suspendedBy: 'operator',
      suspendedClient: null,
      suspendedAt: 9,
    });
    expect(withoutSuspension(held)).toMatchObject({
      suspendedBy: null,
      suspendedClient: null,
      suspendedAt: null,
    });
  });

  it('drops pending versions for later ones only', () => {
    const state = withPendingVersion(withPendingVersion(withPendingVersion(blank, 1), 2), 3);
    expect(withActiveVersion(state, facts(2)).pending).toEqual([3]);
  });

  it('keeps the last twenty violations, which cause no quarantine', () => {
    let state = blank;
    for (let at = 0; at < 30; at += 1) state = withViolation(state, { ...violation, at });
    expect(state.violations.map(({ at }) => at)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 10),
    );
    expect(state.quarantined).toBe(false);
  });

  it('keeps its numbers when it is removed', () => {
    expect(withRemoval(withPendingVersion(withActiveVersion(blank, facts(1)), 2))).toEqual({
      ...blank,
      last: 2,
      removedAt: 2,
    });
  });
});
