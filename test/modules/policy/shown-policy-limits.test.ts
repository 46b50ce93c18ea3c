import { expect, it } from 'vitest';
import { showPolicyLimits } from '../../../src/modules/policy/policy-limits.ts';
import { packaged } from '../open-modules.ts';

it('the policy limits are shown whole, but for values of headers and hosts that are let through', () => {
  const fetch = {
    origin: 'https://api.example.com',
    methods: ['GET'],
    paths: ['/'],
    maxBytes: 1000,
    timeoutMs: 500,
    headers: { authorization: 'secret:TOKEN', 'x-key': 'a key that somebody wrote here' },
  };
  const { headers: _, ...open } = fetch;
  const limits = {
    ...packaged,
    grants: { ...packaged.grants, fetch: [fetch, open] },
    egress: { allow: ['10.0.0.5:9200'] },
  };
  const shown = showPolicyLimits(limits);
  expect(shown).toEqual({
    limits: packaged.limits,
    grants: {
      ...packaged.grants,
      fetch: [{ ...fetch, headers: { authorization: 'secret:TOKEN', 'x-key': null } }, open],
    },
  });
  expect(JSON.stringify(shown)).not.toContain('10.0.0.5');
});
