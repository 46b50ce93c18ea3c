import { describe, expect, test } from 'vitest';
import { andThen, attempt, both } from '../../../src/lib/async/maybe-promise.ts';

describe('andThen', () => {
  test('continues at once where the value is there', () => {
    expect(andThen(2, (value) => value + 1)).toBe(3);
  });

  test('waits for a promise, from before or from the continuation', async () => {
    expect(await andThen(Promise.resolve(2), (value) => value + 1)).toBe(3);
    expect(await andThen(2, async (value) => value + 1)).toBe(3);
  });

  test('rejects with what the continuation throws and does not throw it', async () => {
    const fail = (value: number): number => {
      throw new RangeError(`${value}`);
    };
    await expect(andThen(2, fail)).rejects.toThrow(RangeError);
    await expect(andThen(Promise.resolve(2), fail)).rejects.toThrow(RangeError);
  });

  test('passes a rejection on without calling the continuation', async () => {
    let isCalled = false;
    const failed = Promise.reject(new RangeError('before'));
    const result = andThen(failed, () => {
      isCalled = true;
    });
    await expect(result).rejects.toThrow('before');
    expect(isCalled).toBe(false);
  });
});

describe('attempt', () => {
  test('gives what the work gives, and rejects with what it throws', async () => {
    expect(attempt(() => 3)).toBe(3);
    const work = (): number => {
      throw new RangeError('no');
    };
    await expect(attempt(work)).rejects.toThrow('no');
  });
});

describe('both', () => {
  test('are there at once where neither is a promise', () => {
    expect(both(1, 'a')).toEqual([1, 'a']);
  });

  test('are waited for where one is a promise', async () => {
    expect(await both(Promise.resolve(1), 'a')).toEqual([1, 'a']);
    expect(await both(1, Promise.resolve('a'))).toEqual([1, 'a']);
    await expect(both(1, Promise.reject(new RangeError('no')))).rejects.toThrow('no');
  });
});
