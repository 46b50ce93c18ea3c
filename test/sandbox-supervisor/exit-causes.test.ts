import { describe, expect, it } from 'vitest';
import {
  exitCauseOfDisposal,
  exitCauseOfSignal,
  exitCauseOfViolation,
} from '../../src/sandbox-supervisor/exit-causes.ts';
import { fakeHost, fakeInvocation } from '../helpers/fake-host.ts';

describe('why a host died', () => {
  it.each(['SIGABRT', 'SIGIOT', 'SIGTRAP', 'SIGILL'] as const)('is a lack of memory at %s', (signal) => {
    expect(exitCauseOfSignal(signal)).toMatchObject({
      code: 'ENDPOINT_MEMORY',
      kind: 'crash',
      limit: 'hostMemory',
    });
  });

  it('is a crash at anything else, and a doubtful one where somebody else may have killed it', () => {
    expect(exitCauseOfSignal('SIGSEGV')).toMatchObject({
      code: 'ENDPOINT_CRASHED',
      kind: 'crash',
      isDoubtful: false,
    });
    expect(exitCauseOfSignal(undefined)).toMatchObject({ code: 'ENDPOINT_CRASHED', isDoubtful: false });
    expect(exitCauseOfSignal('SIGKILL')).toMatchObject({ code: 'ENDPOINT_CRASHED', isDoubtful: true });
  });

  it('is a kill when it broke the protocol, blamed on whom it was found with', () => {
    const request = fakeInvocation();
    expect(exitCauseOfViolation({ limit: 'hostCalls', request })).toMatchObject({
      ...{ code: 'ENDPOINT_CRASHED', kind: 'kill', limit: 'hostCalls', blamed: request },
    });
    expect(exitCauseOfViolation({ limit: 'protocol', request: null })).not.toHaveProperty('blamed');
  });

  it('is a crash by its code when the isolate is lost, at the limit of its heap or otherwise', () => {
    const request = fakeInvocation();
    const { unit } = request.job;
    const host = fakeHost({ requests: new Map([[4, request]]) });
    expect(exitCauseOfDisposal(host, { faults: [[4, 'memory', 'full']] })).toMatchObject({
      ...{ kind: 'crash', limit: 'heapMb', blamed: request, unit },
    });
    expect(exitCauseOfDisposal(host, { faults: [[4, 'timeout', 'late']] })).toMatchObject({
      limit: 'microtasks',
    });
    const frames = [
      {
        unit: 1,
        requests: [request],
        isDelivery: false,
        isCold: false,
        room: 1,
        parts: 0,
        since: 0,
        cpuMs: 0,
      },
    ];
    expect(exitCauseOfDisposal(fakeHost({ frames }), { faults: [[4, 'memory', 'full']] })).toMatchObject({
      ...{ limit: 'heapMb', blamed: null, unit },
    });
  });
});
