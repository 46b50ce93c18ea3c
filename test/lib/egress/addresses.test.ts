import { expect, test } from 'vitest';
import {
  bareHostname,
  createAllowedDestinations,
  isPublicAddress,
  portOf,
} from '../../../src/lib/egress/addresses.ts';

test.each([
  ['1.1.1.1'],
  ['93.184.216.34'],
  ['172.15.255.255'],
  ['172.32.0.1'],
  ['192.0.1.1'],
  ['223.255.255.255'],
  ['2606:4700:4700::1111'],
  ['2a00:1450:4001:81b::200e'],
  ['::ffff:1.1.1.1'],
])('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  // This machine, the networks around it, and what is no destination.
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '100.64.0.1', '100.127.255.255', '198.18.0.1', '198.19.255.255', '192.0.0.8'],
  ...['192.0.2.1', '198.51.100.7', '203.0.113.9', '192.88.99.1', '224.0.0.1', '239.1.1.1', '240.0.0.1'],
  '255.255.255.255',
  // Metadata services.
  ...['169.254.169.254', '169.254.170.2', '169.254.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['fd00:ec2::254', 'fd20:ce::254'],
  // IPv6 of the same kinds.
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', '2606:4700::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  ...['ff02::1', 'ff0e::1', '100::1', '2001:db8::1', '3fff::1', '5f00::1'],
  // IPv4 inside of IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::ffff:10.0.0.1', '::ffff:0:7f00:1'],
  ...['::127.0.0.1', '::a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1'],
  ...['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:7f00:1::1', '2001::1', '2001:20::1'],
  // No addresses at all.
  ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3', '1.1.1.1 ', '[::1]', '::ffff:1.1.1.1.1'],
])('the address %j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test('a host name is normalized without brackets and the last dot', () => {
  expect(bareHostname('[::1]')).toBe('::1');
  expect(bareHostname('example.com.')).toBe('example.com');
  expect(bareHostname('example.com..')).toBe('example.com.');
  expect(bareHostname('example.com')).toBe('example.com');
});

test('every URL has a port', () => {
  expect(['http://a/', 'https://a/', 'http://a:8080/'].map((url) => portOf(new URL(url)))).toEqual([
    80, 443, 8080,
  ]);
});

test('the list of allowed addresses matches what it lists, in any spelling, and nothing else', () => {
  const isOpen = createAllowedDestinations([
    '127.0.0.1:9000',
    '[::1]:80',
    'Internal.Example.:443',
    '0x7f.2:7',
  ]);
  expect(isOpen('127.0.0.1', 9000)).toBe(true);
  expect(isOpen('::1', 80)).toBe(true);
  expect(isOpen('internal.example', 443)).toBe(true);
  expect(isOpen('127.0.0.2', 7)).toBe(true);
  expect(isOpen('127.0.0.1', 9001)).toBe(false);
  expect(isOpen('internal.example', 80)).toBe(false);
  expect(isOpen('x.internal.example', 443)).toBe(false);
});

test.each([
  '',
  '127.0.0.1',
  ':9000',
  'a:b',
  'user@a:1',
  'a/b:1',
  'a?:1',
  'a#:1',
  'http://a:1',
  '*:80',
  'a:123456',
])('the entry %j of the list of allowed addresses matches nothing', (entry) => {
  const isOpen = createAllowedDestinations([entry]);
  for (const host of ['a', 'b', '127.0.0.1', '', 'undefined', 'http']) {
    for (const port of [1, 80, 9000]) expect(isOpen(host, port)).toBe(false);
  }
});
