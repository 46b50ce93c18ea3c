import { describe, expect, it, onTestFinished } from 'vitest';
import { createUndeclaredNameFinder } from '../../src/workers/undeclared-name-finder.ts';

/** More than the slowest machine needs to start a thread. */
const PATIENT_MS = 60_000;

function open(limitMs?: number) {
  const names = createUndeclaredNameFinder(limitMs);
  onTestFinished(() => names.close());
  return names;
}

describe('undeclared names', () => {
  it('are found on a thread', async () => {
    expect(await open(PATIENT_MS).find('a = 1')).toEqual([{ name: 'a', line: 1 }]);
  });

  it('are not looked for longer than allowed, and the next text is', async () => {
    const names = open(300);
    const long = Array.from({ length: 300_000 }, (_, index) => `b${index} = function () { c = 1 }`).join(
      '\n',
    );
    expect(await names.find(long)).toEqual([]);
    await expect.poll(() => names.find('c = 1')).toEqual([{ name: 'c', line: 1 }]);
  });

  it('are not looked for in more texts than wait', async () => {
    const names = open(PATIENT_MS);
    const found = await Promise.all(Array.from({ length: 40 }, () => names.find('a = 1')));
    expect(found.filter((some) => some.length === 1).length).toBeGreaterThanOrEqual(16);
  });

  it('close without having been used', async () => {
    await expect(createUndeclaredNameFinder().close()).resolves.toBeUndefined();
  });
});
