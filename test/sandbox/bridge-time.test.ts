import { describe, expect, it } from 'vitest';
import { BridgeTime } from '../../sandbox/bridge-time.js';

function timeOf(limit: number) {
  let clock = 0;
  const time = new BridgeTime(() => clock);
  time.begin(limit);
  const run = (ms = 0) =>
    time.run(() => {
      clock += ms;
      return 'done';
    });
  return { time, run };
}

describe('the time of helpers', () => {
  it('is a quarter of the limit of a call, as the processor counts it', () => {
    const { run } = timeOf(400);
    expect([run(60), run(60), run(1), run(0)]).toEqual(['done', 'done', undefined, undefined]);
  });

  it('is 200 ms at most', () => {
    const { run } = timeOf(60_000);
    expect([run(199), run(2), run(1)]).toEqual(['done', 'done', undefined]);
  });

  it('begins anew with each call, and with each request of one', () => {
    const { time, run } = timeOf(100);
    run(30);
    expect(run()).toBeUndefined();
    time.restart();
    expect(run(30)).toBe('done');
    expect(run()).toBeUndefined();
    time.begin(100);
    expect(run()).toBe('done');
  });
});
