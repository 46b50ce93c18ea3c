import { describe, expect, it } from 'vitest';
import type { FileText } from '../../../src/endpoints/modules/files.ts';
import { createPolicyReader } from '../../../src/endpoints/modules/policy.ts';
import { policyText, readPolicyFile, readPolicyText } from '../../../src/endpoints/modules/policy-text.ts';
import { hook, packaged } from './modules.ts';

const policies = createPolicyReader({ ceilings: packaged, jsonBytes: 1, originProblem: () => undefined });

const readFile = (found: FileText) => {
  const files = { read: async () => found } as unknown as Parameters<typeof readPolicyFile>[0]['files'];
  return readPolicyFile({ files, policies }, hook('x'));
};

describe('a policy file', () => {
  it('is read back as it was written', async () => {
    const given = { version: 1, limits: { cpuMs: 50 } };
    expect(policyText(given).endsWith('}\n')).toBe(true);
    expect((await readPolicyText(policies, policyText(given))).given).toEqual(given);
    expect((await readFile({ state: 'text', text: policyText(given) })).given).toEqual(given);
  });

  it('that is absent is no policy', async () => {
    expect(await readFile({ state: 'absent' })).toBe(policies.none);
  });

  it.each([
    ['is no JSON', { state: 'text', text: '{' }],
    ['is no policy', { state: 'text', text: '[]' }],
    ['says what the server says', { state: 'text', text: '{"code":{}}' }],
    ['cannot be read', { state: 'unreadable', why: 'EACCES' }],
  ] as const)('that %s is refused', async (_, found) => {
    await expect(readFile(found)).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });
});
