import { expect, test } from 'vitest';
import { createClientAddresses, normalizeAddress } from '../../../src/http/transport/client-address.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';

type Trust = Parameters<typeof createClientAddresses>[0];

const from = (remoteAddress: string | undefined, headers: Readonly<Record<string, string>>, trust: Trust) =>
  createClientAddresses(trust).of({ headers, socket: { remoteAddress } });

const XFF = (value: string) => ({ 'x-forwarded-for': value });
const FORWARDED = (value: string) => ({ forwarded: value });

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['unknown', undefined],
  ['_hidden', undefined],
  ['', undefined],
  ['192.0.2.999', undefined],
  ['1.2.3.4.5', undefined],
])('the text %j is the address %j', (written, address) => {
  expect(normalizeAddress(written)).toBe(address);
});

test('without trust the socket counts, whatever the headers say', () => {
  const headers = { ...XFF('203.0.113.9'), ...FORWARDED('for=203.0.113.9') };
  expect(from('::ffff:192.0.2.1', headers, false)).toBe('192.0.2.1');
  expect(from('192.0.2.1', headers, ['10.0.0.0/8'])).toBe('192.0.2.1');
  expect(from(undefined, headers, 1)).toBe('');
});

test.each<[Trust, string, string]>([
  [1, '203.0.113.1, 203.0.113.2', '203.0.113.2'],
  [2, '203.0.113.1, 203.0.113.2', '203.0.113.1'],
  [5, '203.0.113.1, 203.0.113.2', '203.0.113.1'],
  [['10.0.0.0/8'], '203.0.113.1, 203.0.113.2, 10.0.0.7', '203.0.113.2'],
  [['10.0.0.0/8', '203.0.113.2'], '203.0.113.1, 203.0.113.2, 10.0.0.7', '203.0.113.1'],
  [['10.0.0.0/8'], '203.0.113.1:4711', '203.0.113.1'],
  [['10.0.0.0/8'], '203.0.113.1, nonsense, 10.0.0.7', '10.0.0.7'],
  [['10.0.0.0/8'], '', '10.0.0.1'],
  [['10.0.0.0/8'], '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  [['uniquelocal'], '203.0.113.1', '203.0.113.1'],
  [['loopback'], '203.0.113.1', '10.0.0.1'],
])('with trust in %j, %j says that the client is %s', (trust, header, address) => {
  expect(from('10.0.0.1', XFF(header), trust)).toBe(address);
});

test.each([
  ['for=203.0.113.1', '203.0.113.1'],
  ['for=203.0.113.1;proto=https;by=10.0.0.1', '203.0.113.1'],
  ['proto=http; FOR="203.0.113.1:80"', '203.0.113.1'],
  ['for="[2001:db8::1]:4711"', '2001:db8::1'],
  ['for=203.0.113.9, for=203.0.113.1, for=10.0.0.2', '203.0.113.1'],
  ['by="a, for=203.0.113.9";for=203.0.113.1', '203.0.113.1'],
  ['for=203.0.113.9, for=_hidden', '10.0.0.1'],
  ['for=203.0.113.9, for=unknown', '10.0.0.1'],
  ['for=203.0.113.9, proto=https', '10.0.0.1'],
  ['nonsense', '10.0.0.1'],
])('Forwarded %j says that the client is %s', (header, address) => {
  expect(from('10.0.0.1', FORWARDED(header), ['10.0.0.0/8'])).toBe(address);
});

test('Forwarded wins over X-Forwarded-For', () => {
  expect(from('10.0.0.1', { ...XFF('203.0.113.9'), ...FORWARDED('for=203.0.113.1') }, 1)).toBe('203.0.113.1');
});

test('a header of a thousand addresses takes no time', () => {
  const many = Array.from({ length: 2000 }, () => '10.0.0.2').join(',');
  expect(from('10.0.0.1', XFF(`203.0.113.1,${many}`), ['10.0.0.0/8'])).toBe('10.0.0.2');
});

test.each([
  ['quotes that nothing closes', '"\\'.repeat(15_000)],
  ['quotes that are no values', '"'.repeat(30_000)],
  ['values that nothing closes', 'for="\\'.repeat(5_000)],
])('a Forwarded header of %s is not believed, and costs no time', (_what, header) => {
  const began = threadCpuMs();
  expect(from('10.0.0.1', FORWARDED(header), ['10.0.0.0/8'])).toBe('10.0.0.1');
  expect(threadCpuMs() - began).toBeLessThan(300);
});

test('a socket that was remembered has its address also once it is closed', () => {
  const addresses = createClientAddresses(false);
  const socket: { remoteAddress?: string | undefined } = { remoteAddress: '192.0.2.1' };
  addresses.remember(socket);
  socket.remoteAddress = undefined;
  expect(addresses.of({ headers: {}, socket })).toBe('192.0.2.1');
});
