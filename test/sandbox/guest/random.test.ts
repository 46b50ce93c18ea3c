import { describe, expect, it } from 'vitest';
import { headOf } from '../lab/lab.ts';
import { MODES, useLab } from '../lab/use-lab.ts';

const { lab, value } = useLab();

describe('Math of a request', () => {
  it('has all of Math', async () => {
    expect(
      await value(
        '[Math.max(1, 2), Math.PI > 3, Object.prototype.toString.call(Math), "sqrt" in Math, Math.random.length]',
      ),
    ).toEqual([2, true, '[object Math]', true, 0]);
  });

  it('draws numbers from 0 up to 1, evenly', async () => {
    const [low, high, mean, buckets] = (await value(`(() => {
      const all = Array.from({ length: 20_000 }, Math.random);
      const buckets = Array(10).fill(0); for (const x of all) buckets[Math.floor(x * 10)] += 1;
      return [Math.min(...all.slice(0, 5000)), Math.max(...all.slice(0, 5000)), all.reduce((a, b) => a + b) / all.length, buckets];
    })()`)) as [number, number, number, number[]];
    expect(low).toBeGreaterThanOrEqual(0);
    expect(high).toBeLessThan(1);
    expect(mean).toBeCloseTo(0.5, 1);
    expect(Math.min(...buckets)).toBeGreaterThan(1_700);
    expect(Math.max(...buckets)).toBeLessThan(2_300);
  });

  it.each(MODES)('is seeded anew for each request (%s)', async (isolation) => {
    const guest = await lab().guest('module.exports.get = (req, res) => res.json(Math.random())', {
      isolation,
    });
    const drawn = [];
    for (let number = 1; number <= 5; number += 1)
      drawn.push((await guest.start(number, headOf())).events[0]?.[3]);
    expect(new Set(drawn).size).toBe(5);
  });

  it('is the only generator there is', async () => {
    expect(await value('[typeof globalThis.Math.random, typeof globalThis.Math.sin]')).toEqual([
      'undefined',
      'function',
    ]);
  });
});
