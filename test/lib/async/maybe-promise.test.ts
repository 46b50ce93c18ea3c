import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  andThen,
  attempt,
  both,
  createYielder,
  forEachInTurn,
  forEachYielding,
  mapYielding,
  startAllYielding,
  yieldToEventLoop,
} from '../../../src/lib/async/maybe-promise.ts';

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

test('mapYielding maps in order, with positions', async () => {
  expect(await mapYielding(['a', 'b'], (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
  expect(await mapYielding([], () => 1)).toEqual([]);
});

test('mapYielding lets the event loop turn while it runs', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const spin = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  await mapYielding(Array.from({ length: 100 }), spin);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('mapYielding ends at the first error', async () => {
  const boom = () => {
    throw new Error('boom');
  };
  await expect(mapYielding([1], boom)).rejects.toThrow('boom');
});

test('all work begins before any of it is awaited, and no rejection is unhandled meanwhile', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const begun: number[] = [];
  const begin = async (_item: unknown, index: number) => {
    begun.push(index);
    const end = performance.now() + 1;
    while (performance.now() < end);
    if (index < 2) throw new Error(`boom ${index}`);
    return index;
  };
  await expect(startAllYielding(Array.from({ length: 20 }), begin)).rejects.toThrow('boom 0');
  process.off('unhandledRejection', note);
  expect([begun.length, unhandled]).toEqual([20, []]);
  expect(await startAllYielding([1, 2], async (item) => item * 2)).toEqual([2, 4]);
});

test('a pace asks for a turn of the event loop once its steps used up their time, and starts again', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const pace = createYielder();
  expect(pace()).toBeUndefined();
  clock.mockReturnValue(4);
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  // The clock is not read at every step.
  for (let step = 0; step < 16; step += 1) await pace();
  expect(turned).toBe(true);
});

test('the next turn of the event loop comes after callbacks that wait already', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('first'));
  await yieldToEventLoop();
  expect(order).toEqual(['first']);
});

test('short work of a loop is done at once, and its error is a rejection', async () => {
  // A machine that stalls makes any work long.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  expect(mapYielding([1, 2], (item) => item * 2)).toEqual([2, 4]);
  const seen: number[] = [];
  expect(forEachYielding([3, 4], (item, index) => seen.push(item, index))).toBeUndefined();
  expect(seen).toEqual([3, 0, 4, 1]);
  const boom = () => {
    throw new Error('boom');
  };
  await expect(mapYielding([1, 2], boom)).rejects.toThrow('boom');
});

test('forEachInTurn begins the next work when the one before is done, and at once where it need not wait', async () => {
  const seen: string[] = [];
  expect(forEachInTurn(['a', 'b'], (item) => void seen.push(item))).toBeUndefined();
  const wait = async (item: string) => {
    seen.push(`${item} begins`);
    await yieldToEventLoop();
    seen.push(`${item} ends`);
  };
  await forEachInTurn(['c', 'd'], wait);
  expect(seen).toEqual(['a', 'b', 'c begins', 'c ends', 'd begins', 'd ends']);
  const fail = async (item: string) => {
    seen.push(item);
    throw new Error('boom');
  };
  await expect(forEachInTurn(['e', 'f'], fail)).rejects.toThrow('boom');
  expect(seen.at(-1)).toBe('e');
});
