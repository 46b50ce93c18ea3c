import { describe, expect, it } from 'vitest';
import { eachAtOnce } from '../../../src/endpoints/modules/at-once.ts';

describe('eachAtOnce', () => {
  it('does all, a bounded number at a time', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await eachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    });
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
    await eachAtOnce([], 3, async () => expect.unreachable());
  });

  it('rejects with the first failure', async () => {
    const work = async (item: number) => {
      if (item === 2) throw new Error('two');
    };
    await expect(eachAtOnce([1, 2, 3], 1, work)).rejects.toThrow('two');
  });
});
