import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failedResult, limitViolation } from '../../src/sandbox-supervisor/invocation.ts';
import {
  type FakeInvocation,
  fakeHost,
  fakeInvocation,
  fakeQueue,
  sendNew,
  sendTo,
} from '../helpers/sandbox/sandbox.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const RESULT = { kind: 'result', json: '1' } as const;
const LOG = '{"level":"info","message":"m"}';

/** An invocation that a host has, whose module it had to load. */
function sentInvocation(now = 0, queue = fakeQueue()): FakeInvocation {
  const [invocation] = sendNew(fakeHost(), 1, { queue, now }) as [FakeInvocation];
  return invocation;
}

describe('an invocation', () => {
  it('starts and ends once', () => {
    const invocation = sentInvocation(5);
    invocation.start({ now: 5, sliceMs: 0 });
    invocation.start({ now: 9, sliceMs: 0 });
    invocation.settle(RESULT);
    invocation.settle(failedResult('ENDPOINT_CRASHED', 'late'));
    expect([invocation.startedAt, invocation.result(), invocation.isSettled]).toEqual([5, RESULT, true]);
  });

  it('starts over when it is reset', () => {
    const logs: string[] = [];
    const host = fakeHost();
    const invocation = fakeInvocation(fakeQueue(), { log: ({ message }) => logs.push(message) });
    const use = () => {
      sendTo(host, [invocation], { now: 5 });
      invocation.start({ now: 5, sliceMs: 0 });
      invocation.addCpu(7);
      const logged = Array.from({ length: 101 }, () => invocation.log(LOG));
      const timers = Array.from({ length: 20 }, () =>
        invocation.performGuestCall(1, { name: 'timer', args: '{"ms":1}' }, () => 0),
      );
      return [...logged, ...timers, invocation.cpuMs];
    };
    const first = use();
    expect(first.slice(0, -1)).toEqual(Array.from({ length: 121 }, () => null));
    invocation.reset();
    const { number, frame, hasStarted, startedAt, cpuMs } = invocation;
    expect([number, frame, hasStarted, startedAt, cpuMs]).toEqual([0, null, false, 0, 0]);
    expect(use()).toEqual(first);
    expect(logs).toHaveLength(202);
  });

  it('may be retried as long as it has no side effects, and once only', () => {
    const reader = fakeInvocation();
    reader.performGuestCall(1, { name: 'model.find', args: '{}' }, () => 0);
    expect(reader.isRetryable).toBe(true);
    reader.isolate();
    expect(reader.isRetryable).toBe(false);
    const writer = fakeInvocation();
    writer.performGuestCall(1, { name: 'model.create', args: '{}' }, () => 0);
    expect(writer.isRetryable).toBe(false);
  });

  it('is named in incidents by module, version and code', () => {
    const invocation = fakeInvocation();
    const { id: moduleId, version, sha256 } = invocation.moduleVersion;
    expect(limitViolation(invocation, 'cpuMs')).toEqual({
      moduleId,
      version,
      sha256,
      kind: 'violation',
      limit: 'cpuMs',
    });
  });
});

describe('the guest calls of an invocation', () => {
  function pendingCall() {
    const queue = fakeQueue();
    let signal: AbortSignal | undefined;
    const performed = Promise.withResolvers<{ ok: boolean; text: string }>();
    const invocation = fakeInvocation(queue, {
      performGuestCall: (_, given) => {
        signal = given;
        return performed.promise;
      },
    });
    const host = fakeHost();
    sendTo(host, [invocation], { queue });
    const replies = () => host.sent.flatMap(({ message, texts }) => (message.t === 'deliver' ? texts : []));
    invocation.performGuestCall(1, { name: 'model.find', args: '{}' }, () => 0);
    invocation.performGuestCall(2, { name: 'timer', args: '{"ms":10}' }, () => 0);
    const perform = () => {
      performed.resolve({ ok: true, text: 'found' });
      return vi.advanceTimersByTimeAsync(20);
    };
    return { queue, invocation, replies, perform, isAborted: () => signal?.aborted };
  }

  it('are replied to', async () => {
    const { replies, perform } = pendingCall();
    await perform();
    expect(replies()).toEqual(['found', 'null']);
  });

  it('are aborted when it fails, and not replied to', async () => {
    const { invocation, replies, perform, isAborted } = pendingCall();
    invocation.settle(failedResult('ENDPOINT_TIMEOUT', 'late'));
    expect(isAborted()).toBe(true);
    await perform();
    expect(replies()).toEqual([]);
  });

  it('are aborted when it is reset, and not replied to', async () => {
    const { invocation, replies, perform, isAborted } = pendingCall();
    invocation.reset();
    expect(isAborted()).toBe(true);
    await perform();
    expect(replies()).toEqual([]);
  });

  it('may go on for its wall time after it has responded', () => {
    const { invocation, isAborted } = pendingCall();
    invocation.settle(RESULT);
    vi.advanceTimersByTime(29_999);
    expect(isAborted()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isAborted()).toBe(true);
  });

  it('are recorded for its queue, and so is a start without any', () => {
    const { queue } = pendingCall();
    expect(queue.isNonBlocking).toBe(false);
    for (let n = 0; n < 20; n += 1) {
      const invocation = sentInvocation(0, queue);
      invocation.start({ now: 0, sliceMs: 0 });
      invocation.settle(RESULT);
    }
    expect(queue.isNonBlocking).toBe(true);
  });
});
