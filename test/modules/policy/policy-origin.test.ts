import { expect, test } from 'vitest';
import { policyOriginIssue } from '../../../src/modules/policy/policy-origin.ts';

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
