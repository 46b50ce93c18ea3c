import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../src/lib/json/json-scan.ts';

const newMembers = (value: unknown) => scanJson(Buffer.from(JSON.stringify(value))).newMembers;
const objectOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
const list = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));

describe('the count of members that are new to a parser', () => {
  it('is small for a list of objects that are alike', () => {
    const documents = list(20_000, (n) => ({ title: `a ${n}`, tags: [n], author: { name: 'b', born: n } }));
    expect(newMembers(documents)).toBeLessThan(10);
  });

  it('grows with each name that no object had', () => {
    const count = newMembers(list(2_000, (n) => objectOf(list(20, (k) => `x${n}_${k}`))));
    // Some share a bit with another one.
    expect(count).toBeGreaterThan(36_000);
    expect(count).toBeLessThanOrEqual(40_000);
  });

  it('grows with each order of the same names', () => {
    const names = list(20, (n) => `m${n}`);
    const turned = (n: number) => names.map((_, k) => names[(k * ((n % 19) + 1) + n) % 20] ?? '');
    expect(newMembers(list(2_000, (n) => objectOf([...new Set([`k${n}`, ...turned(n)])])))).toBeGreaterThan(
      10_000,
    );
  });

  it('is not confused by depth, closing brackets and names in texts', () => {
    expect(scanJson(Buffer.from('['.repeat(5_000))).newMembers).toBe(0);
    expect(scanJson(Buffer.from(']}'.repeat(5_000))).newMembers).toBe(0);
    expect(newMembers(list(5_000, (n) => `{"a${n}":1}`))).toBe(0);
    expect(scanJson(Buffer.from('":"'.repeat(5_000))).newMembers).toBeLessThan(10);
  });
});
