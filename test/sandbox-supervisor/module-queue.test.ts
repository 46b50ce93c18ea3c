import { describe, expect, it } from 'vitest';
import {
  batchSize,
  countCall,
  isDisposable,
  isSlow,
  isThrottled,
  isWaitingTooLong,
  maxFrames,
  maxWaiting,
  recordHostCallUse,
  recordLatency,
  recordLongSlice,
  recordResponseBytes,
} from '../../src/sandbox-supervisor/module-queue.ts';
import { fakeInvocation, fakeQueue } from '../helpers/fake-host.ts';

const warm = (now = 0) => ({ isCold: false, now });

describe('the rest of a lane', () => {
  it('is as long as its answers were large, and adds up', () => {
    const lane = fakeQueue();
    recordResponseBytes(lane, 262_144, 1000);
    expect(isThrottled(lane, 1000)).toBe(false);
    recordResponseBytes(lane, 6_553_600, 1000);
    recordResponseBytes(lane, 6_553_600, 1050);
    expect([isThrottled(lane, 1199), isThrottled(lane, 1200)]).toEqual([true, false]);
  });
});

describe('the pace of a lane', () => {
  it('is guessed to be good at first', () => {
    const lane = fakeQueue();
    expect([batchSize(lane), maxFrames(lane), maxWaiting(lane)]).toEqual([16, 3, 1024]);
    expect(isSlow(lane, 0)).toBe(false);
  });

  it('follows its turns: the longer they are, the less is sent at once', () => {
    const depths = [0.05, 0.5, 1, 4, 100].map((ms) => {
      const lane = fakeQueue();
      for (let n = 0; n < 500; n += 1) recordLatency(lane, ms, warm());
      return [batchSize(lane), maxFrames(lane), maxWaiting(lane)];
    });
    expect(depths).toEqual([
      [16, 3, 1024],
      [16, 2, 32],
      [8, 2, 32],
      [2, 1, 32],
      [1, 1, 32],
    ]);
  });

  it('is not judged by one turn on a busy machine, nor by the first in an isolate', () => {
    const lane = fakeQueue();
    recordLatency(lane, 40, { isCold: true, now: 0 });
    for (let n = 0; n < 10; n += 1) {
      recordLatency(lane, 4, warm());
      recordLatency(lane, 0.05, warm());
    }
    expect([batchSize(lane), maxFrames(lane), maxWaiting(lane)]).toEqual([16, 3, 1024]);
  });

  it('is slow after a long turn, finished or not, for a while that grows with it', () => {
    const lane = fakeQueue();
    recordLatency(lane, 60, warm(10));
    expect([isSlow(lane, 6009), isSlow(lane, 6010)]).toEqual([true, false]);
    recordLongSlice(lane, 50, 70_000);
    expect(isSlow(lane, 70_000)).toBe(false);
    recordLongSlice(lane, 5000, 70_000);
    recordLatency(lane, 60, warm(70_000));
    expect([isSlow(lane, 129_999), isSlow(lane, 130_000)]).toEqual([true, false]);
  });

  it('has a short queue as soon as its requests wait for host calls', () => {
    const lane = fakeQueue();
    recordLatency(lane, 0.05, warm());
    recordHostCallUse(lane, true);
    expect(maxWaiting(lane)).toBe(32);
    for (let n = 0; n < 20; n += 1) recordHostCallUse(lane, false);
    expect(maxWaiting(lane)).toBe(1024);
  });
});

describe('the minute of a lane', () => {
  it('lets so many through, and begins anew', () => {
    const lane = fakeQueue();
    const at = (now: number) => countCall(lane, 2, now);
    expect([at(0), at(1), at(2), at(59_999), at(60_000), at(60_001), at(60_002)]).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('has no bound at 0', () => {
    const lane = fakeQueue();
    expect(Array.from({ length: 1000 }, () => countCall(lane, 0, 0)).includes(false)).toBe(false);
  });
});

describe('waiting', () => {
  it('is a second, and the wall time for what has begun before', () => {
    const request = fakeInvocation();
    expect([isWaitingTooLong(request, 1000), isWaitingTooLong(request, 1001)]).toEqual([false, true]);
    request.alone = true;
    expect([isWaitingTooLong(request, 30_000), isWaitingTooLong(request, 30_001)]).toEqual([false, true]);
  });

  it('keeps a lane in mind', () => {
    const lane = fakeQueue();
    expect([isDisposable(lane, 60_000), isDisposable(lane, 60_001)]).toEqual([false, true]);
    lane.queue.push(fakeInvocation(lane));
    expect(isDisposable(lane, 60_001)).toBe(false);
  });
});
