import { describe, expect, it } from 'vitest';
import { findPolicyIssues } from '../../../src/modules/policy/policy-issues.ts';
import type { PolicyInput } from '../../../src/modules/policy/policy-schema.ts';
import { packaged } from '../open-modules.ts';

const problems = (policy: PolicyInput) =>
  [...findPolicyIssues(policy, packaged)].map(([field, message]) => `${field} ${message}`);

describe('findPolicyIssues', () => {
  it('finds none within the packaged policy limits', () => {
    expect(problems({})).toEqual([]);
    expect(
      problems({
        limits: { ...packaged.limits, perMinute: 1_000_000 },
        grants: {
          request: { headers: ['authorization', 'cookie', 'x-*'], maxBodyBytes: 52_428_800 },
          response: { headers: ['set-cookie', 'access-control-allow-origin', 'x-*', 'content-type'] },
          collections: [{ name: '1.0/library/books', actions: ['find', 'delete'], maxResults: 10_000 }],
        },
      }),
    ).toEqual([]);
  });

  it('finds every issue with a message for an admin', () => {
    const above = 'the ceilings of the operator allow no more';
    expect(
      problems({
        limits: { wallMs: 30_001 },
        grants: {
          request: { headers: ['te'] },
          response: { headers: ['server'] },
          collections: [{ name: '1.0/library/books', actions: ['find'], as: 'client:root' }],
          fetch: [
            { origin: 'http://10.0.0.1', headers: { Host: 'x' } },
            { origin: 'https://a.org', headers: { a: 'secret:lower' } },
          ],
        },
      }),
    ).toEqual([
      `limits.wallMs must be 30000 or less: ${above}`,
      'grants.request.headers.0 frames the message and can never be granted',
      `grants.response.headers.0 is not granted: ${above}`,
      `grants.collections.0.as is not granted: ${above}`,
      'grants.fetch.0.headers.Host is no header that can be added; names are in lower case',
      'grants.fetch.0.origin is private or of this machine, and `egress.allow` of the ceilings does not list it',
      'grants.fetch.1.headers.a must be visible characters, or `secret:<NAME>`',
      `grants.fetch.1.origin is not granted: ${above}; an entry of \`grants.fetch\` in the ceilings has to name this origin, also where \`egress.allow\` lists its host`,
    ]);
  });
});
