import { describe, expect, it } from 'vitest';
import type { FileText } from '../../../src/modules/lifecycle/module-files.ts';
import {
  formatPolicy,
  parsePolicyText,
  readPolicyFile,
} from '../../../src/modules/lifecycle/publish-steps.ts';
import { createPolicyParser } from '../../../src/modules/policy/policy.ts';
import { hook, packaged } from '../open-modules.ts';

const policies = createPolicyParser({
  policyLimits: packaged,
  jsonBytes: 1,
});

const readFile = (found: FileText) => {
  const files = { read: async () => found } as unknown as Parameters<typeof readPolicyFile>[0]['files'];
  return readPolicyFile({ files, policies }, hook('x'));
};

describe('a policy file', () => {
  it('is read back as it was written', async () => {
    const given = { version: 1, limits: { cpuMs: 50 } };
    expect(formatPolicy(given).endsWith('}\n')).toBe(true);
    expect((await parsePolicyText(policies, formatPolicy(given))).input).toEqual(given);
    expect((await readFile({ state: 'text', text: formatPolicy(given) })).input).toEqual(given);
  });

  it('is the empty policy when it is absent', async () => {
    expect(await readFile({ state: 'absent' })).toBe(policies.empty);
  });

  it.each([
    ['is no JSON', { state: 'text', text: '{' }],
    ['is no policy', { state: 'text', text: '[]' }],
    ['says what the server says', { state: 'text', text: '{"code":{}}' }],
    ['cannot be read', { state: 'unreadable', why: 'EACCES' }],
  ] as const)('is rejected when it %s', async (_, found) => {
    await expect(readFile(found)).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });

  it('is not blamed where the system has nothing left to read it with', async () => {
    const found = { state: 'unreadable', why: 'EMFILE', isBusy: true } as const;
    await expect(readFile(found)).rejects.toMatchObject({ code: 'WORKSPACE_UNAVAILABLE' });
  });
});
