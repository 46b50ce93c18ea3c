import { describe, expect, it } from 'vitest';
import { HelperTime } from '../../sandbox/helper-time.js';

function timeOf(limit: number) {
  let clock = 0;
  const time = new HelperTime(() => clock);
  time.begin(limit);
  const run = (characters: number, ms = 0) =>
    time.run(characters, () => {
      clock += ms;
      return 'done';
    });
  return { time, run };
}

describe('the time of helpers', () => {
  it('is a quarter of the limit of a call, as the processor counts it', () => {
    const { run } = timeOf(400);
    expect([run(5_000, 60), run(5_000, 60), run(5_000, 1), run(1, 0)]).toEqual([
      'done',
      'done',
      undefined,
      undefined,
    ]);
  });

  it('is 200 ms at most', () => {
    const { run } = timeOf(60_000);
    expect([run(5_000, 199), run(5_000, 2), run(5_000, 1)]).toEqual(['done', 'done', undefined]);
  });

  it('counts short texts without a look at the clock', () => {
    const { run } = timeOf(1_000);
    let calls = 0;
    while (run(10) !== undefined) calls += 1;
    expect(calls).toBeGreaterThanOrEqual(20_000);
    expect(calls).toBeLessThan(20_010);
  });

  it('begins anew with each call, and with each request of one', () => {
    const { time, run } = timeOf(100);
    run(5_000, 30);
    expect(run(5_000)).toBeUndefined();
    time.restart();
    expect(run(5_000, 30)).toBe('done');
    expect(run(5_000)).toBeUndefined();
    time.begin(100);
    expect(run(5_000)).toBe('done');
  });
});
