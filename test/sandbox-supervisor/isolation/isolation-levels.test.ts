import { describe, expect, it } from 'vitest';
import {
  activeLayers,
  checkIsolationLevel,
  isolationLevel,
} from '../../../src/sandbox-supervisor/isolation/isolation-levels.ts';

const FIRST = { emptyEnvironment: true, permissions: true, jitless: true, limits: true, memoryLimit: true };
const SECOND = { ...FIRST, namespaces: true, startFilter: true };
const THIRD = { ...SECOND, selfLock: true };
const REVIEWED = { reviewedBinding: true };

describe('isolation levels', () => {
  it('rise with the active layers', () => {
    expect([{}, FIRST, SECOND, THIRD].map(isolationLevel)).toEqual([0, 1, 2, 3]);
  });

  it('are not reached while a layer of a lower level is missing', () => {
    expect(isolationLevel({ ...FIRST, selfLock: true })).toBe(1);
    for (const name of Object.keys(FIRST)) expect(isolationLevel({ ...THIRD, [name]: false })).toBe(0);
    expect(isolationLevel({ ...THIRD, namespaces: false })).toBe(1);
  });

  it('below the minimum are rejected, with a description of what is missing', () => {
    expect(checkIsolationLevel(0, {})).toBeUndefined();
    expect(checkIsolationLevel(3, { ...THIRD, ...REVIEWED })).toBeUndefined();
    expect(checkIsolationLevel(2, { ...FIRST, ...REVIEWED })).toBe(
      'sandbox.minimumLevel is 2, this machine reaches 1; missing: namespaces (bubblewrap), ' +
        'a system call filter from the start (bubblewrap, x64 or arm64)',
    );
  });

  it('are rejected with a binary that was not reviewed, if there is a minimum', () => {
    expect(checkIsolationLevel(1, THIRD)).toMatch(/isolated-vm/);
    expect(checkIsolationLevel(0, THIRD)).toBeUndefined();
  });
});

describe('the active layers', () => {
  it('are the outer ones and those that the host reports', () => {
    const around = { namespaces: true, diesWithServer: false, ownUser: false };
    const within = { selfLock: true, diesWithServer: true, permissions: true };
    expect(activeLayers(around, within)).toEqual({
      diesWithServer: true,
      namespaces: true,
      ownUser: false,
      permissions: true,
      selfLock: true,
    });
  });

  it('include the permission model only if the host reports it', () => {
    expect(activeLayers({ permissions: true }, {})).toEqual({ permissions: false });
  });

  it('are not read from prototypes', () => {
    expect(activeLayers({}, JSON.parse('{"__proto__":{"selfLock":true}}'))['selfLock']).not.toBe(true);
    expect(isolationLevel(activeLayers(Object.create(THIRD), {}))).toBe(0);
  });
});
