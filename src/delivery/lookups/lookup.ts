// What lookups by address share: their type, the addresses that are looked up at all, and values in parsed answers.

import { isIP } from 'node:net';
import { isPublicAddress } from '../../lib/egress/addresses.ts';

/** Hears that a fact is unknown because a lookup failed, which will be tried again after so many seconds. */
type OnLookupFailure = (seconds: number) => void;

/**
 * A fact about the address of a visitor, trimmed; undefined when it is not known, for whatever reason. Never rejects, and
 * ends within its time limit.
 */
export type Lookup = (ip: string, onFailure?: OnLookupFailure) => Promise<string | undefined>;

export interface LookupLog {
  warn(fields: object, message: string): void;
}

/** Only own members are seen; a number counts as a position where it meets a list. Undefined when there is nothing. */
export function valueAtPath(answer: unknown, path: string): unknown {
  let value = answer;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/;

/** The IPv4 address in an IPv4-mapped one; else the address itself. */
function unmapped(address: string): string {
  const [, dotted, high, low] = MAPPED.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

/** One spelling for one address. `address` is a valid IPv6 address. */
const canonicalIpv6 = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1);

/**
 * The address in the form in which it is looked up: IPv4-mapped ones as IPv4, IPv6 in its short form, without zone. Undefined
 * for what is malformed, and for addresses that no visitor has who comes over the internet: private ones, and all others for
 * special purposes.
 */
export function normalizePublicAddress(ip: string): string | undefined {
  const [bare = ''] = ip.trim().split('%', 1);
  const family = isIP(bare);
  if (family === 0) return undefined;
  const address = family === 4 ? bare : unmapped(canonicalIpv6(bare));
  return isPublicAddress(address) ? address : undefined;
}
