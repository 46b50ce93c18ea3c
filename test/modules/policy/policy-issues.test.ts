import { describe, expect, it, test } from 'vitest';
import { findPolicyIssues, policyOriginIssue } from '../../../src/modules/policy/policy-issues.ts';
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
    const above = 'the policy limits of the operator allow no more';
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
      'grants.fetch.0.origin is private or of this machine, and `egress.allow` of the policy limits does not list it',
      'grants.fetch.1.headers.a must be visible characters, or `secret:<NAME>`',
      `grants.fetch.1.origin is not granted: ${above}; an entry of \`grants.fetch\` in the policy limits has to name this origin, also where \`egress.allow\` lists its host`,
    ]);
  });
});

test.each([
  'https://api.example.com',
  'http://example.com:8080',
  'https://example.com:443',
  'https://1.1.1.1',
])('the origin %s may be granted', (origin) => {
  expect(policyOriginIssue(origin, [])).toBeUndefined();
});

test.each([
  ...['', 'example.com', '//example.com', 'ftp://example.com', 'file:///etc/passwd', 'data:text/plain,x'],
  ...[
    'https://example.com/path',
    'https://example.com?x',
    'https://example.com#x',
    'https://u:p@example.com',
  ],
  ...[
    'https://',
    'https://exa mple.com',
    'javascript:alert(1)',
    'https://*',
    'https://*.example.com',
    'https://a..b',
    'https://a.com..',
  ],
])('%j is rejected as an origin', (origin) => {
  expect(policyOriginIssue(origin, [])).toContain('must');
});

test.each([
  ...['http://127.0.0.1:9000', 'http://127.1:9000', 'http://0x7f000001:9000', 'http://2130706433:9000'],
  ...['http://①②⑦.⓪.⓪.①:9000', 'http://[::1]:9000', 'http://[::ffff:127.0.0.1]:9000', 'http://0:9000'],
  ...['http://127.0.0.1.:9000', 'http://localhost:9000', 'http://LOCALHOST.:9000', 'http://a.localhost:9000'],
  ...['http://10.0.0.1', 'http://169.254.169.254', 'http://[fd00:ec2::254]', 'http://[64:ff9b::a9fe:a9fe]'],
  ...['http://metadata.google.internal', 'http://printer.local', 'http://nas', 'http://router.home.arpa'],
])('the origin %s is private unless it is listed', (origin) => {
  expect(policyOriginIssue(origin, [])).toContain('egress.allow');
  const { hostname, port } = new URL(origin);
  const entry = `${hostname}:${port === '' ? 80 : port}`;
  expect(policyOriginIssue(origin, [entry])).toBeUndefined();
  expect(policyOriginIssue(origin, [`${hostname}:1`])).toContain('egress.allow');
});
