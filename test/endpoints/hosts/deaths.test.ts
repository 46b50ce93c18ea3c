import { describe, expect, it } from 'vitest';
import { causeOfDisposal, causeOfExit, causeOfViolation } from '../../../src/endpoints/hosts/deaths.ts';
import { fakeHost, requestOf } from '../../helpers/fake-host.ts';

describe('why a host died', () => {
  it.each(['SIGABRT', 'SIGIOT', 'SIGTRAP', 'SIGILL'] as const)('is a lack of memory at %s', (signal) => {
    expect(causeOfExit(signal)).toMatchObject({
      code: 'ENDPOINT_MEMORY',
      kind: 'crash',
      limit: 'hostMemory',
    });
  });

  it('is a crash at anything else, and a doubtful one where somebody else may have killed it', () => {
    expect(causeOfExit('SIGSEGV')).toMatchObject({
      code: 'ENDPOINT_CRASHED',
      kind: 'crash',
      isDoubtful: false,
    });
    expect(causeOfExit(undefined)).toMatchObject({ code: 'ENDPOINT_CRASHED', isDoubtful: false });
    expect(causeOfExit('SIGKILL')).toMatchObject({ code: 'ENDPOINT_CRASHED', isDoubtful: true });
  });

  it('is a kill when it broke the protocol, blamed on whom it was found with', () => {
    const request = requestOf();
    expect(causeOfViolation({ limit: 'hostCalls', request })).toMatchObject({
      ...{ code: 'ENDPOINT_CRASHED', kind: 'kill', limit: 'hostCalls', blamed: request },
    });
    expect(causeOfViolation({ limit: 'protocol', request: null })).not.toHaveProperty('blamed');
  });

  it('is a crash by its code when the isolate is lost, at the limit of its heap or otherwise', () => {
    const request = requestOf();
    const { unit } = request.job;
    const host = fakeHost({ requests: new Map([[4, request]]) });
    expect(causeOfDisposal(host, { faults: [[4, 'memory', 'full']] })).toMatchObject({
      ...{ kind: 'crash', limit: 'heapMb', blamed: request, unit },
    });
    expect(causeOfDisposal(host, { faults: [[4, 'timeout', 'late']] })).toMatchObject({
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
    expect(causeOfDisposal(fakeHost({ frames }), { faults: [[4, 'memory', 'full']] })).toMatchObject({
      ...{ limit: 'heapMb', blamed: null, unit },
    });
  });
});
