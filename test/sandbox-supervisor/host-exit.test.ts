import { describe, expect, it } from 'vitest';
import {
  attributeCrash,
  EVICTED,
  type ExitCause,
  exitCauseOfDisposal,
  exitCauseOfLoss,
  exitCauseOfSignal,
  exitCauseOfViolation,
  incidentOfExit,
  MODULE_SUSPENDED,
} from '../../src/sandbox-supervisor/host-exit.ts';
import type { Invocation } from '../../src/sandbox-supervisor/invocation.ts';
import { type FakeInvocation, fakeHost, fakeQueue, sendNew } from '../helpers/sandbox/sandbox.ts';

const MEMORY = exitCauseOfSignal('SIGABRT');
const CRASH: ExitCause = { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message: 'died' };
const TIMED_OUT = { kind: 'failure', code: 'ENDPOINT_TIMEOUT', message: '' } as const;

/** A host with one frame for each number of invocations. */
function hostOf(...frames: number[]) {
  const queue = fakeQueue();
  const host = fakeHost();
  const invocations = frames.flatMap((count) => sendNew(host, count, { queue }));
  const get = (index: number) => invocations[index] as FakeInvocation;
  const start = (...indexes: number[]) => {
    for (const index of indexes) get(index).start({ now: 0, sliceMs: 0 });
  };
  /** Has an invocation make a guest call that gets its result at once. */
  const call = async (index: number, name = 'model.find') => {
    get(index).performGuestCall(1, { name, args: '{}' }, () => 0);
    await new Promise(setImmediate);
  };
  return { host, invocations, get, start, call };
}

/** The attribution of an exit, with invocations by their index. */
function attributionOf({ host, invocations }: ReturnType<typeof hostOf>, cause: ExitCause) {
  const { culprit, failed, isolatedRetries, requeued, isShared } = attributeCrash(host, cause);
  const indexes = (list: readonly Invocation[]) =>
    list.map((each) => invocations.indexOf(each as FakeInvocation));
  return {
    culprit: culprit === null ? null : invocations.indexOf(culprit as FakeInvocation),
    failed: indexes(failed),
    isolatedRetries: indexes(isolatedRetries),
    requeued: indexes(requeued),
    isShared,
  };
}

const NONE = { culprit: null, failed: [], isolatedRetries: [], requeued: [], isShared: false };

describe('the attribution of a crash', () => {
  it('blames the only invocation that ran', () => {
    expect(attributionOf(hostOf(1), CRASH)).toEqual({ ...NONE, culprit: 0 });
  });

  it('blames none of several, and runs each again in isolation', () => {
    const all = { ...NONE, isolatedRetries: [0, 1, 2], isShared: true };
    expect(attributionOf(hostOf(3), CRASH)).toEqual(all);
    expect(attributionOf(hostOf(3), MEMORY)).toEqual(all);
  });

  it('requeues those of later frames', () => {
    expect(attributionOf(hostOf(1, 2), CRASH)).toEqual({ ...NONE, culprit: 0, requeued: [1, 2] });
  });

  it('retries waiting invocations without side effects, unless they are retries already', async () => {
    const made = hostOf(3, 1);
    made.start(0, 1, 2);
    await made.call(1, 'model.create');
    made.get(2).isolate();
    made.host.frames.complete();
    expect(attributionOf(made, CRASH)).toEqual({ ...NONE, culprit: 3, failed: [1, 2], isolatedRetries: [0] });
  });

  it('blames none for the memory of a process in which others wait, until it runs alone', async () => {
    const made = hostOf(3, 1);
    made.start(0, 1, 2);
    await made.call(1, 'model.create');
    made.get(2).settle(TIMED_OUT);
    made.host.frames.complete();
    const uncertain = { ...NONE, failed: [1], isolatedRetries: [0, 3], isShared: true };
    expect(attributionOf(made, MEMORY)).toEqual(uncertain);
    for (const index of [0, 1]) made.get(index).settle(TIMED_OUT);
    expect(attributionOf(made, MEMORY)).toEqual({ ...NONE, culprit: 3 });
  });

  it('blames the invocation that was sent the result of a guest call', async () => {
    const made = hostOf(2);
    made.start(0, 1);
    made.host.frames.complete();
    await made.call(1);
    expect(attributionOf(made, CRASH)).toEqual({ ...NONE, culprit: 1, isolatedRetries: [0] });
  });

  it('blames none when nothing ran, unless one waited alone once more, or when the server killed the host', () => {
    const waiting = hostOf(2);
    waiting.start(0, 1);
    waiting.host.frames.complete();
    expect(attributionOf(waiting, CRASH)).toEqual({ ...NONE, isolatedRetries: [0, 1], isShared: true });
    waiting.get(1).settle(TIMED_OUT);
    expect(attributionOf(waiting, CRASH)).toEqual({ ...NONE, isolatedRetries: [0] });
    waiting.get(0).isolate();
    expect(attributionOf(waiting, CRASH)).toEqual({ ...NONE, culprit: 0 });
    expect(attributionOf(hostOf(2), EVICTED)).toEqual({ ...NONE, requeued: [0, 1] });
  });

  it('does not blame one that waited alone and cannot run again for what happened while nothing ran', async () => {
    const made = hostOf(1);
    made.start(0);
    made.host.frames.complete();
    await made.call(0, 'model.create');
    made.host.frames.complete();
    expect(attributionOf(made, CRASH)).toEqual({ ...NONE, failed: [0] });
    expect(attributionOf(made, exitCauseOfSignal('SIGKILL'))).toEqual({ ...NONE, failed: [0] });
  });

  it('blames a known culprit, and none else', () => {
    const made = hostOf(3);
    expect(attributionOf(made, { ...CRASH, culprit: made.get(1) })).toEqual({
      ...NONE,
      culprit: 1,
      requeued: [0, 2],
    });
  });

  it('retries the only suspect once when the cause may lie outside', () => {
    const made = hostOf(1);
    const doubtful = { ...CRASH, isDoubtful: true };
    expect(attributionOf(made, doubtful)).toEqual({ ...NONE, isolatedRetries: [0] });
    made.get(0).isolate();
    expect(attributionOf(made, doubtful)).toEqual({ ...NONE, culprit: 0 });
  });

  it('blames an invocation that was settled at its wall time and is still running', () => {
    const made = hostOf(1);
    made.get(0).settle(TIMED_OUT);
    expect(attributionOf(made, CRASH)).toEqual({ ...NONE, culprit: 0 });
    const last = hostOf(2);
    last.start(0);
    last.get(1).settle(TIMED_OUT);
    expect(attributionOf(last, CRASH)).toEqual({ ...NONE, culprit: 1, isolatedRetries: [0] });
  });

  it('is shared by all that were in a lost isolate of which nobody is known to be the culprit', () => {
    const made = hostOf(2, 3, 1);
    made.start(0, 1);
    made.host.frames.complete();
    const cause = exitCauseOfDisposal(made.host, { errors: [] });
    // The results are read before the exit.
    made.start(2);
    made.get(2).settle(TIMED_OUT);
    made.host.frames.complete();
    const all = { ...NONE, isolatedRetries: [0, 1, 3, 4], requeued: [5], isShared: true };
    expect(attributionOf(made, cause)).toEqual(all);
  });

  it('blames an isolated retry for a lost isolate, whatever the host says', () => {
    const made = hostOf(1);
    const cause = exitCauseOfDisposal(made.host, { errors: [] });
    expect(attributionOf(made, cause)).toEqual({ ...NONE, isolatedRetries: [0], isShared: true });
    made.get(0).isolate();
    expect(attributionOf(made, cause)).toEqual({ ...NONE, culprit: 0 });
  });
});

describe('the incident of an exit', () => {
  const named = { moduleId: 'endpoint:1.0/test', version: expect.any(Number), sha256: '0'.repeat(64) };
  const incidentIn = ({ host }: ReturnType<typeof hostOf>, cause: ExitCause) =>
    incidentOfExit(host, cause, attributeCrash(host, cause).culprit);

  it('names the module, and counts only when the culprit is certain', () => {
    const counted = { ...named, kind: 'crash', limit: 'process', counts: true };
    expect(incidentIn(hostOf(1), CRASH)).toEqual(counted);
    expect(incidentIn(hostOf(3), CRASH)).toEqual({ ...counted, counts: false });
    const waiting = hostOf(1);
    waiting.start(0);
    waiting.host.frames.complete();
    expect(incidentIn(waiting, CRASH)).toEqual({ ...counted, counts: false });
  });

  it('counts when a host breaks the protocol, whichever invocation it was', () => {
    const violation = exitCauseOfViolation({ limit: 'protocol', invocation: null });
    const counted = { ...named, kind: 'kill', limit: 'protocol', counts: true };
    expect(incidentIn(hostOf(3), violation)).toEqual(counted);
  });

  it('is about the heap when an isolate is lost, and counts unless several may have exhausted it', () => {
    const lost = { ...named, kind: 'crash', limit: 'heapMb' };
    const full = { errors: [[1, 'memory', 'full']] } as const;
    const alone = hostOf(1);
    const certain = exitCauseOfDisposal(alone.host, full);
    expect(incidentIn(alone, certain)).toEqual({ ...lost, counts: true });
    alone.get(0).settle(TIMED_OUT);
    expect(incidentIn(alone, exitCauseOfDisposal(alone.host, full))).toEqual({ ...lost, counts: true });
    const several = hostOf(2);
    expect(incidentIn(several, exitCauseOfDisposal(several.host, { errors: [] }))).toEqual({
      ...lost,
      counts: false,
    });
  });

  it('names the module that an idle host ran last, if any, and does not count', () => {
    expect(incidentIn(hostOf(), CRASH)).toMatchObject({ moduleId: null, counts: false });
    const idle = hostOf(1);
    idle.host.frames.complete();
    idle.get(0).settle(TIMED_OUT);
    expect(incidentIn(idle, CRASH)).toMatchObject({
      moduleId: 'endpoint:1.0/test',
      version: 0,
      counts: false,
    });
  });

  it('does not count when the cause may lie outside, until it happens again', () => {
    const made = hostOf(1);
    const killed = exitCauseOfSignal('SIGKILL');
    expect(incidentIn(made, killed)).toMatchObject({ ...named, kind: 'crash', counts: false });
    made.get(0).isolate();
    expect(incidentIn(made, killed)).toMatchObject({ counts: true });
  });

  it('does not count when the server suspended the module, and is none for an eviction', () => {
    const suspended = { ...named, kind: 'kill', limit: 'suspended', counts: false };
    expect(incidentIn(hostOf(1), MODULE_SUSPENDED)).toMatchObject(suspended);
    expect(incidentIn(hostOf(1), EVICTED)).toBeNull();
  });
});

describe('the cause of an exit', () => {
  it.each(['SIGABRT', 'SIGIOT', 'SIGTRAP', 'SIGILL'] as const)('is a lack of memory at %s', (signal) => {
    const outOfMemory = { code: 'ENDPOINT_MEMORY', kind: 'crash', limit: 'hostMemory' };
    expect(exitCauseOfSignal(signal)).toMatchObject(outOfMemory);
  });

  it('is a crash at any other signal, and a doubtful one at SIGKILL', () => {
    const crash = { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process' };
    expect(exitCauseOfSignal('SIGSEGV')).toMatchObject({ ...crash, isDoubtful: false });
    expect(exitCauseOfSignal(undefined)).toMatchObject({ ...crash, isDoubtful: false });
    expect(exitCauseOfSignal('SIGKILL')).toMatchObject({ ...crash, isDoubtful: true });
  });

  it('is a lack of memory when the host says that it cannot go on, in the invocation that it names', () => {
    const { host, get } = hostOf(2);
    expect(exitCauseOfLoss(host, 2)).toMatchObject({ limit: 'hostMemory', culprit: get(1) });
    expect(exitCauseOfLoss(host, null)).not.toHaveProperty('culprit');
    expect(exitCauseOfLoss(host, 9)).not.toHaveProperty('culprit');
  });

  it('is a kill after a protocol violation, with the invocation of the event as culprit', () => {
    const { get } = hostOf(1);
    const cause = exitCauseOfViolation({ limit: 'hostCalls', invocation: get(0) });
    expect(cause).toMatchObject({
      code: 'ENDPOINT_CRASHED',
      kind: 'kill',
      limit: 'hostCalls',
      culprit: get(0),
    });
    expect(exitCauseOfViolation({ limit: 'protocol', invocation: null })).not.toHaveProperty('culprit');
  });

  it('is a crash when the isolate is lost, at the limit of its heap or otherwise', () => {
    const { host, get } = hostOf(1);
    const full = { errors: [[1, 'memory', 'full']] } as const;
    const culprit = { kind: 'crash', limit: 'heapMb', culprit: get(0) };
    expect(exitCauseOfDisposal(host, full)).toMatchObject(culprit);
    const late = { errors: [[1, 'timeout', 'late']] } as const;
    expect(exitCauseOfDisposal(host, late)).toMatchObject({ ...culprit, limit: 'microtasks' });
    get(0).settle(TIMED_OUT);
    expect(exitCauseOfDisposal(host, full)).toMatchObject({ ...culprit, culprit: null });
  });

  it('is a lack of heap when the isolate is lost and no error says in whose time slice', () => {
    const { host } = hostOf(2);
    const cause = exitCauseOfDisposal(host, { errors: [[1, 'load', 'Unexpected token']] });
    expect(cause).toMatchObject({ kind: 'crash', limit: 'heapMb' });
    expect(cause).not.toHaveProperty('culprit');
  });
});
