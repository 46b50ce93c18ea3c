import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWatchdog } from '../../../src/lib/async/watchdog.ts';

describe('a watchdog', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function watchdogOf() {
    const ticks: number[] = [];
    let isNeeded = true;
    let skew = 0;
    const watchdog = createWatchdog({
      intervalMs: 10,
      now: () => Date.now() + skew,
      isNeeded: () => isNeeded,
      onTick: (time) => ticks.push(time),
    });
    const end = () => {
      isNeeded = false;
    };
    const delay = (ms: number) => {
      skew += ms;
    };
    return { ...watchdog, ticks, end, delay };
  }

  it('ticks as long as it is needed, and can be started again', () => {
    const { ticks, start, end } = watchdogOf();
    start();
    start();
    vi.advanceTimersByTime(30);
    expect(ticks).toHaveLength(3);
    end();
    vi.advanceTimersByTime(100);
    expect(ticks).toHaveLength(4);
    start();
    vi.advanceTimersByTime(100);
    expect(ticks).toHaveLength(5);
  });

  it('leaves out one late tick, not two', () => {
    const { ticks, start, delay } = watchdogOf();
    start();
    delay(50);
    vi.advanceTimersByTime(10);
    expect(ticks).toHaveLength(0);
    delay(50);
    vi.advanceTimersByTime(10);
    expect(ticks).toHaveLength(1);
  });

  it('stops when it is told to', () => {
    const { ticks, start, stop } = watchdogOf();
    start();
    stop();
    vi.advanceTimersByTime(100);
    expect(ticks).toEqual([]);
  });
});
