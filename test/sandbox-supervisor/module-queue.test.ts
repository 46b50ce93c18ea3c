import { describe, expect, it } from 'vitest';
import { failedResult } from '../../src/sandbox-supervisor/invocation.ts';
import { isWaitingTooLong } from '../../src/sandbox-supervisor/module-queue.ts';
import {
  createModuleVersion,
  type FakeInvocation,
  fakeInvocation,
  fakeQueue,
} from '../helpers/sandbox/sandbox.ts';

const REJECTED = failedResult('ENDPOINT_BUSY', 'no');
const warm = (now = 0) => ({ isCold: false, now });

function queueOf(count: number) {
  const queue = fakeQueue();
  const invocations = Array.from({ length: count }, () => fakeInvocation(queue));
  for (const invocation of invocations) queue.add(invocation);
  return { queue, invocations };
}

const codesOf = (invocations: readonly FakeInvocation[]) =>
  invocations.map((invocation) => {
    const result = invocation.result();
    return result?.kind === 'failure' ? result.code : result?.kind;
  });

describe('an invocation', () => {
  it('waits a second for a host, and an isolated retry for its wall time', () => {
    const invocation = fakeInvocation();
    const isTooLong = (now: number) => isWaitingTooLong(invocation, now);
    expect([1000, 1001].map(isTooLong)).toEqual([false, true]);
    invocation.restartWait(500);
    expect([1500, 1501].map(isTooLong)).toEqual([false, true]);
    invocation.isolate();
    expect([30_500, 30_501].map(isTooLong)).toEqual([false, true]);
  });
});

describe('the throttling of a module', () => {
  it('is as long as its results were large, and adds up', () => {
    const queue = fakeQueue();
    queue.recordResultBytes(262_144, 1000);
    expect(queue.isThrottled(1000)).toBe(false);
    queue.recordResultBytes(6_553_600, 1000);
    queue.recordResultBytes(6_553_600, 1050);
    expect([queue.isThrottled(1199), queue.isThrottled(1200)]).toEqual([true, false]);
  });
});

describe('the batches of a module', () => {
  const sizes = (queue = fakeQueue()) => [queue.batchSize, queue.maxSentFrames, queue.maxLength];

  it('are large before anything was measured', () => {
    expect(sizes()).toEqual([16, 3, 1024]);
    expect(fakeQueue().isSlow(0)).toBe(false);
  });

  it('are smaller the longer its time slices are', () => {
    const measured = [0.05, 0.5, 1, 4, 100].map((ms) => {
      const queue = fakeQueue();
      for (let n = 0; n < 500; n += 1) queue.recordSlice(ms, warm());
      return sizes(queue);
    });
    expect(measured).toEqual([
      [16, 3, 1024],
      [16, 2, 32],
      [8, 2, 32],
      [2, 1, 32],
      [1, 1, 32],
    ]);
  });

  it('do not depend on one slice on a busy machine, nor on the first one in an isolate', () => {
    const queue = fakeQueue();
    queue.recordSlice(40, { isCold: true, now: 0 });
    for (let n = 0; n < 10; n += 1) {
      queue.recordSlice(4, warm());
      queue.recordSlice(0.05, warm());
    }
    expect(sizes(queue)).toEqual([16, 3, 1024]);
  });

  it('wait in a short queue as soon as invocations make guest calls', () => {
    const queue = fakeQueue();
    queue.recordSlice(0.05, warm());
    queue.recordGuestCallUse(true);
    expect(queue.maxLength).toBe(32);
    for (let n = 0; n < 20; n += 1) queue.recordGuestCallUse(false);
    expect(queue.maxLength).toBe(1024);
  });

  it('are taken from the front, in order', () => {
    const { queue, invocations } = queueOf(20);
    expect(queue.takeBatch()).toEqual(invocations.slice(0, 16));
    expect([queue.length, queue.first]).toEqual([4, invocations[16]]);
  });

  it('hold one module version each', () => {
    const queue = fakeQueue();
    const [older, newer] = [createModuleVersion('code'), createModuleVersion('code')];
    for (const unit of [older, older, newer]) queue.add(fakeInvocation(queue, { moduleVersion: unit }));
    expect([queue.takeBatch().length, queue.takeBatch().length]).toEqual([2, 1]);
  });

  it('hold one large request each', () => {
    const queue = fakeQueue();
    for (let n = 0; n < 2; n += 1) queue.add(fakeInvocation(queue, { body: 'x'.repeat(800_000) }));
    expect([queue.takeBatch().length, queue.takeBatch().length]).toEqual([1, 1]);
  });

  it('hold no more characters of requests than one frame may', () => {
    const queue = fakeQueue();
    for (let n = 0; n < 300; n += 1) {
      // Of any size up to one and a half times what a frame may hold, every fourth of them a large one.
      queue.add(
        fakeInvocation(queue, { body: 'x'.repeat((n * 7919 * 17) % (n % 4 === 0 ? 1_500_000 : 1000)) }),
      );
    }
    const batches: { readonly count: number; readonly characters: number }[] = [];
    while (queue.length > 0) {
      const batch = queue.takeBatch();
      batches.push({ count: batch.length, characters: batch.reduce((sum, one) => sum + one.characters, 0) });
    }
    expect(batches.filter(({ count, characters }) => count > 1 && characters > 1_048_576)).toEqual([]);
    expect(batches.some(({ count, characters }) => count > 1 && characters > 900_000)).toBe(true);
    expect(batches.some(({ characters }) => characters > 1_048_576)).toBe(true);
  });

  it('hold as many characters as the host has left, and one request at least', () => {
    const queue = fakeQueue();
    const [first] = [1, 2, 3, 4].map(() => {
      const invocation = fakeInvocation(queue, { body: 'x'.repeat(1000) });
      queue.add(invocation);
      return invocation;
    });
    const { characters = 0 } = first ?? {};
    expect(queue.takeBatch({ maxCharacters: 2 * characters }).length).toBe(2);
    expect(queue.takeBatch({ maxCharacters: characters - 1 }).length).toBe(1);
  });

  it('hold one invocation each where invocations run alone', () => {
    const { queue } = queueOf(3);
    expect([1, 2, 3].map(() => queue.takeBatch({ isAlone: true }).length)).toEqual([1, 1, 1]);
  });

  it('hold an isolated retry alone', () => {
    const { queue, invocations } = queueOf(3);
    invocations[1]?.isolate();
    expect([1, 2, 3].map(() => queue.takeBatch().length)).toEqual([1, 1, 1]);
  });
});

describe('a module in which several invocations may be to blame for a loss', () => {
  it('runs its invocations alone for a minute, from the last such loss on', () => {
    const queue = fakeQueue();
    expect(queue.runsAlone(0)).toBe(false);
    queue.recordSharedLoss(1000);
    queue.recordSharedLoss(2000);
    expect([2000, 61_999, 62_000].map((now) => queue.runsAlone(now))).toEqual([true, true, false]);
  });

  it('keeps its queue meanwhile', () => {
    const queue = fakeQueue();
    queue.recordSharedLoss(59_000);
    expect([60_001, 118_999, 119_000].map((now) => queue.isUnused(now))).toEqual([false, false, true]);
  });
});

describe('a slow module', () => {
  it('has had a long time slice, finished or not, and is slow for a time that grows with it', () => {
    const queue = fakeQueue();
    queue.recordSlice(60, warm(10));
    expect([queue.isSlow(6009), queue.isSlow(6010)]).toEqual([true, false]);
    queue.recordLongSlice(50, 70_000);
    expect(queue.isSlow(70_000)).toBe(false);
    queue.recordLongSlice(5000, 70_000);
    queue.recordSlice(60, warm(70_000));
    expect([queue.isSlow(129_999), queue.isSlow(130_000)]).toEqual([true, false]);
  });
});

describe('the queue of a module', () => {
  it('is unused a minute after its last invocation, unless something waits', () => {
    const queue = fakeQueue();
    expect([queue.isUnused(60_000), queue.isUnused(60_001)]).toEqual([false, true]);
    queue.add(fakeInvocation(queue, {}, 1000));
    expect(queue.isUnused(61_001)).toBe(false);
    queue.rejectAll(REJECTED);
    expect([queue.isUnused(61_000), queue.isUnused(61_001)]).toEqual([false, true]);
  });

  it('rejects what has waited for too long, and nothing else', () => {
    const queue = fakeQueue();
    const [older, newer] = [fakeInvocation(queue), fakeInvocation(queue, {}, 500)];
    for (const invocation of [older, newer]) queue.add(invocation);
    queue.rejectExpired(1000);
    expect(queue.length).toBe(2);
    queue.rejectExpired(1001);
    expect([codesOf([older, newer]), queue.length, queue.first]).toEqual([
      ['ENDPOINT_BUSY', undefined],
      1,
      newer,
    ]);
    queue.restartWaits(1000);
    queue.rejectExpired(2000);
    expect(queue.length).toBe(1);
  });

  it('rejects the newest when it overflows', () => {
    const { queue, invocations } = queueOf(3);
    queue.rejectOverflow(1, REJECTED);
    expect(codesOf(invocations)).toEqual([undefined, 'ENDPOINT_BUSY', 'ENDPOINT_BUSY']);
    queue.rejectOverflow(1, REJECTED);
    expect(queue.length).toBe(1);
    queue.rejectAll(REJECTED);
    expect([codesOf(invocations)[0], queue.length]).toEqual(['ENDPOINT_BUSY', 0]);
  });

  it('puts requeued invocations in front, in their order', () => {
    const { queue, invocations } = queueOf(4);
    const [first, second] = queue.takeBatch().splice(0, 2) as [FakeInvocation, FakeInvocation];
    queue.add(invocations[3] as FakeInvocation);
    queue.requeue([first, second]);
    expect(queue.takeBatch()).toEqual([first, second, invocations[3]]);
  });
});
