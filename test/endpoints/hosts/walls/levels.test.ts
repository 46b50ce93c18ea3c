import { describe, expect, it } from 'vitest';
import { checkLevel, levelOf, wallsInForce } from '../../../../src/endpoints/hosts/walls/levels.ts';

const FIRST = { emptyEnvironment: true, permissions: true, jitless: true, limits: true, memoryLimit: true };
const SECOND = { ...FIRST, namespaces: true, startFilter: true };
const THIRD = { ...SECOND, selfLock: true };
const REVIEWED = { reviewedBinding: true };

describe('levels', () => {
  it('rise with the walls', () => {
    expect([{}, FIRST, SECOND, THIRD].map(levelOf)).toEqual([0, 1, 2, 3]);
  });

  it('are not reached while anything below is missing', () => {
    expect(levelOf({ ...FIRST, selfLock: true })).toBe(1);
    for (const name of Object.keys(FIRST)) expect(levelOf({ ...THIRD, [name]: false })).toBe(0);
    expect(levelOf({ ...THIRD, namespaces: false })).toBe(1);
  });

  it('are refused below the one that is demanded, with what is missing in words', () => {
    expect(checkLevel(0, {})).toBeUndefined();
    expect(checkLevel(3, { ...THIRD, ...REVIEWED })).toBeUndefined();
    expect(checkLevel(2, { ...FIRST, ...REVIEWED })).toBe(
      'sandbox.minimumLevel is 2, this machine reaches 1; missing: namespaces (bubblewrap), ' +
        'a system call filter from the start (bubblewrap, x64 or arm64)',
    );
  });

  it('count for nothing with a binary that nobody reviewed, where a level is demanded', () => {
    expect(checkLevel(1, THIRD)).toMatch(/isolated-vm/);
    expect(checkLevel(0, THIRD)).toBeUndefined();
  });
});

describe('walls in force', () => {
  it('are those around and those within', () => {
    const around = { namespaces: true, diesWithServer: false, ownUser: false };
    const within = { selfLock: true, diesWithServer: true, permissions: true };
    expect(wallsInForce(around, within)).toEqual({
      ...{ diesWithServer: true, namespaces: true, ownUser: false, permissions: true, selfLock: true },
    });
  });

  it('take the word of the host for the permission model', () => {
    expect(wallsInForce({ permissions: true }, {})).toEqual({ permissions: false });
  });

  it('are not found on prototypes', () => {
    expect(wallsInForce({}, JSON.parse('{"__proto__":{"selfLock":true}}'))['selfLock']).not.toBe(true);
    expect(levelOf(wallsInForce(Object.create(THIRD), {}))).toBe(0);
  });
});
