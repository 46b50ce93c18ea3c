import { describe, expect, it } from 'vitest';
import { causeOfExit, causeOfViolation } from '../../../src/endpoints/hosts/deaths.ts';
import { requestOf } from '../../helpers/fake-host.ts';

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
});
