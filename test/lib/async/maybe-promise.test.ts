import { describe, expect, test } from 'vitest';
import { andThen } from '../../../src/lib/async/maybe-promise.ts';

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
