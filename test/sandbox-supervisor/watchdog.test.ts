import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWatchdog } from '../../src/sandbox-supervisor/watchdog.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function sweepOf() {
  const looks: number[] = [];
  let isNeeded = true;
  let skew = 0;
  const sweep = createWatchdog({
    everyMs: 10,
    now: () => Date.now() + skew,
    isNeeded: () => isNeeded,
    sweep: (time) => looks.push(time),
  });
  return {
    ...sweep,
    looks,
    end: () => {
      isNeeded = false;
    },
    delay: (ms: number) => {
      skew += ms;
    },
  };
}

describe('a sweep', () => {
  it('looks as long as it is needed, and starts again', () => {
    const { looks, start, end } = sweepOf();
    start();
    start();
    vi.advanceTimersByTime(30);
    expect(looks).toHaveLength(3);
    end();
    vi.advanceTimersByTime(100);
    expect(looks).toHaveLength(4);
    start();
    vi.advanceTimersByTime(100);
    expect(looks).toHaveLength(5);
  });

  it('leaves out one look that comes late, not two', () => {
    const { looks, start, delay } = sweepOf();
    start();
    delay(50);
    vi.advanceTimersByTime(10);
    expect(looks).toHaveLength(0);
    delay(50);
    vi.advanceTimersByTime(10);
    expect(looks).toHaveLength(1);
  });

  it('stops when told', () => {
    const { looks, start, stop } = sweepOf();
    start();
    stop();
    vi.advanceTimersByTime(100);
    expect(looks).toEqual([]);
  });
});
