import { describe, expect, it, test } from 'vitest';
import { clampDelay, settleWithin, waitUnlessAborted, withTimeout } from '../../../src/lib/async/timeout.ts';

const never = () => new Promise<never>(() => undefined);
const late = () => new Error('late');

/** Work that fails only after its time limit has passed. */
function lateFailure() {
  const { promise, reject } = Promise.withResolvers<never>();
  return { promise, fail: () => reject(new Error('dropped')) };
}

test('a delay is neither negative nor longer than a timer can be', () => {
  const delays = [-5, 0, 20.5, 2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY];
  expect(delays.map(clampDelay)).toEqual([0, 0, 20.5, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]);
});

describe('withTimeout', () => {
  it('passes on what work in time resolves and rejects with', async () => {
    await expect(withTimeout(Promise.resolve(1), 1000, late)).resolves.toBe(1);
    await expect(withTimeout(Promise.reject(new Error('no')), 1000, late)).rejects.toThrow('no');
  });

  it('rejects with the error of the limit, also for limits of the past', async () => {
    await expect(withTimeout(never(), 1, late)).rejects.toThrow('late');
    await expect(withTimeout(never(), -5, late)).rejects.toThrow('late');
  });

  it('takes limits that no timer takes for longer than the work', async () => {
    await expect(withTimeout(Promise.resolve(1), 2 ** 40, late)).resolves.toBe(1);
    await expect(withTimeout(Promise.resolve(2), Number.POSITIVE_INFINITY, late)).resolves.toBe(2);
  });

  it('drops a failure that comes after the limit', async () => {
    const work = lateFailure();
    await expect(withTimeout(work.promise, 1, late)).rejects.toThrow('late');
    work.fail();
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('settleWithin', () => {
  it('gives the value, undefined included, in an object', async () => {
    expect(await settleWithin(Promise.resolve(undefined), 1000)).toEqual({ value: undefined });
  });

  it('gives undefined once the time is over, and drops a later failure', async () => {
    const work = lateFailure();
    expect(await settleWithin(work.promise, 1)).toBeUndefined();
    work.fail();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('rejects as the work does', async () => {
    await expect(settleWithin(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  });
});

describe('waitUnlessAborted', () => {
  it('rejects when the signal is aborted, and when it already was', async () => {
    const controller = new AbortController();
    const aborted = waitUnlessAborted(never(), controller.signal, late);
    controller.abort();
    await expect(aborted).rejects.toThrow('late');
    await expect(waitUnlessAborted(never(), controller.signal, late)).rejects.toThrow('late');
  });

  it('passes on what the work comes to, and leaves no listener', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') listeners += 1;
        if (name === 'removeEventListener') listeners -= 1;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(waitUnlessAborted(Promise.resolve(1), counting, late)).resolves.toBe(1);
    expect(listeners).toBe(0);
  });
});
