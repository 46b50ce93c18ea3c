// One piece of work for all callers, whoever of them goes.
import { expect, it } from 'vitest';
import { createSingleFlight } from '../../../src/delivery/variants/single-flight.ts';

it('shared work runs once for concurrent callers of one key, and again for later ones', async () => {
  const shared = createSingleFlight<number>();
  const first = Promise.withResolvers<number>();
  let begun = 0;
  const begin = () => {
    begun += 1;
    return first.promise;
  };
  const callers = [shared.run('a', begin), shared.run('a', begin), shared.run('b', begin)];
  expect(begun).toBe(2);
  first.resolve(7);
  expect(await Promise.all(callers)).toEqual([7, 7, 7]);
  await shared.run('a', begin);
  expect(begun).toBe(3);
});

it('shared work continues when one caller leaves, and is aborted when all have left', async () => {
  const shared = createSingleFlight<number>();
  const work = Promise.withResolvers<number>();
  const signals: AbortSignal[] = [];
  const begin = (signal: AbortSignal) => {
    signals.push(signal);
    return work.promise;
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const first = shared.run('a', begin, one.signal);
  const second = shared.run('a', begin, two.signal);
  one.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect(signals[0]?.aborted).toBe(false);
  two.abort(new Error('gone too'));
  await expect(second).rejects.toThrow('gone too');
  expect(signals[0]?.aborted).toBe(true);
  const third = shared.run('a', begin);
  work.resolve(1);
  expect(await third).toBe(1);
  expect(signals).toHaveLength(2);
});

it('shared work that fails rejects for all callers, and its failure is not kept', async () => {
  const shared = createSingleFlight<number>();
  const fail = () => Promise.reject(new Error('broken'));
  const callers = [shared.run('a', fail), shared.run('a', fail)];
  for (const caller of callers) await expect(caller).rejects.toThrow('broken');
  expect(await shared.run('a', async () => 2)).toBe(2);
});
