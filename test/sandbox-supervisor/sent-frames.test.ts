import { describe, expect, it } from 'vitest';
import { SentFrames } from '../../src/sandbox-supervisor/sent-frames.ts';
import { fakeInvocation } from '../helpers/fake-host.ts';

const frameOf = (count: number, maxInFlight = 4) => {
  const invocations = Array.from({ length: count }, () => fakeInvocation());
  return { moduleNumber: 1, invocations, isDelivery: false, isCold: false, maxInFlight };
};

describe('the frames of a host', () => {
  it('run one after the other, each from the progress before it', () => {
    const frames = new SentFrames(0);
    const [first, second] = [frameOf(1), frameOf(1)];
    frames.push(first, 10);
    frames.push(second, 20);
    expect([frames.current, frames.runsSince, frames.queued]).toEqual([first, 10, [second]]);
    frames.recordProgress(30);
    frames.complete();
    expect([frames.current, frames.runsSince, frames.progressAt, frames.length]).toEqual([second, 30, 30, 1]);
  });

  it('charge the CPU of a frame to the only invocation in it, from the first measurement on', () => {
    const frames = new SentFrames(0);
    const [alone, together] = [frameOf(1), frameOf(2)];
    frames.push(alone, 0);
    frames.push(together, 0);
    expect([frames.recordCpu(500), frames.recordCpu(530), frames.cpuMs]).toEqual([0, 30, 30]);
    frames.complete();
    expect([frames.cpuMs, alone.invocations[0]?.cpuMs]).toEqual([0, 30]);
    frames.recordCpu(540);
    frames.recordCpu(640);
    frames.complete();
    expect(together.invocations.map(({ cpuMs }) => cpuMs)).toEqual([0, 0]);
  });

  it('take as many partial results as a frame has invocations', () => {
    const frames = new SentFrames(0);
    expect(frames.countPartialResult()).toBe(false);
    frames.push(frameOf(2), 0);
    expect([1, 2, 3].map(() => frames.countPartialResult())).toEqual([true, true, false]);
  });

  it('know the largest number of invocations that may be in flight, and which code they use', () => {
    const frames = new SentFrames(0);
    expect(frames.maxInFlight).toBe(0);
    frames.push(frameOf(1, 2), 0);
    frames.push(frameOf(1, 7), 0);
    expect([frames.maxInFlight, frames.isUsing(1), frames.isUsing(2)]).toEqual([7, true, false]);
    frames.clear();
    expect([frames.length, frames.maxInFlight]).toEqual([0, 0]);
  });
});
