// Values in answers of services.

import { describe, expect, it } from 'vitest';
import { normalizePublicAddress, valueAtPath } from '../../../src/delivery/lookups/lookup.ts';

const ANSWER: unknown = JSON.parse(
  '{"location":{"country":{"isoCode":"GB"}},"results":[{"c":"US"},{"c":"SE"}],"__proto__":{"own":"yes"},"nothing":null}',
);

describe('the path to a value in a lookup answer', () => {
  it.each([
    ['location.country.isoCode', 'GB'],
    ['results.0.c', 'US'],
    ['results.1.c', 'SE'],
    ['__proto__.own', 'yes'],
    ['nothing', null],
  ])('finds %s', (path, value) => {
    expect(valueAtPath(ANSWER, path)).toBe(value);
  });

  it.each([
    ...['location.city', 'location.country.isoCode.length', 'results.2.c', 'results.length', 'results.-1'],
    ...['constructor', 'toString', 'location.constructor.name', 'nothing.more', '', '.', 'location..isoCode'],
  ])('finds nothing at %j', (path) => {
    expect(valueAtPath(ANSWER, path)).toBeUndefined();
  });

  it.each([null, undefined, 'text', 5, true])('finds nothing in %j', (answer) => {
    expect(valueAtPath(answer, 'a')).toBeUndefined();
  });
});

describe('publicAddress', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['81.2.69.160', '81.2.69.160'],
    [' 81.2.69.160 ', '81.2.69.160'],
    ['172.15.255.255', '172.15.255.255'],
    ['172.32.0.1', '172.32.0.1'],
    ['100.63.255.255', '100.63.255.255'],
    ['100.128.0.1', '100.128.0.1'],
    ['223.255.255.254', '223.255.255.254'],
    ['::ffff:81.2.69.160', '81.2.69.160'],
    ['::FFFF:5102:45a0', '81.2.69.160'],
    ['0:0:0:0:0:ffff:81.2.69.160', '81.2.69.160'],
    ['2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888'],
    ['2A00:1450::1', '2a00:1450::1'],
    ['2a00:1450::1%eth0', '2a00:1450::1'],
  ])('looks up %s as %s', (ip, address) => {
    expect(normalizePublicAddress(ip)).toBe(address);
  });

  it.each([
    ...['10.0.0.1', '127.0.0.1', '127.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1'],
    // What no guarded request may go to, no visitor comes from: both ask one table.
    ...[
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.9',
      '2001:db8::1',
      '64:ff9b::7f00:1',
      '168.63.129.16',
      '100::1',
    ],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1'],
  ])('looks up nothing for %s, which is not public', (ip) => {
    expect(normalizePublicAddress(ip)).toBeUndefined();
  });

  it.each([
    ...['', 'unknown', 'undefined', 'localhost', '1.2.3', '1.2.3.4.5', '256.1.1.1', '010.1.1.1', '0x7f.1'],
    ...['81.2.69.160, 10.0.0.1', '81.2.69.160:443', '[2a00::1]', '1:2', '81.2.69.160/24', '../../etc/passwd'],
  ])('looks up nothing for %j, which is no address', (ip) => {
    expect(normalizePublicAddress(ip)).toBeUndefined();
  });
});
