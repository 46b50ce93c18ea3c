import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareRanked,
  createTopN,
  type Match,
  type SelectLimits,
  selectPage,
} from '../../../../src/stores/sqlite-documents/query/page-selection.ts';

const PLENTY = 1_000_000;
const keyOf = (n: number) => String.fromCharCode(n >> 8, n & 0xff);

it('a heap keeps the same items as sorting and slicing', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(999), { maxLength: 60 }), fc.nat(20), (numbers, size) => {
      const top = createTopN({ size, maxBytes: PLENTY });
      for (const n of numbers) top.add({ key: keyOf(n), doc: n });
      const kept = top.sorted().map((item) => item.doc);
      expect(kept).toEqual(numbers.toSorted((a, b) => a - b).slice(0, size));
    }),
  );
});

it('a heap keeps the smallest items that fit into memory, and at least one', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { minLength: 1, maxLength: 60 }), fc.nat(2000), (lengths, maxBytes) => {
      const items = lengths.map((length, doc) => ({ key: keyOf(length * 100) + 'x'.repeat(length), doc }));
      const top = createTopN({ size: items.length, maxBytes });
      for (const item of items) top.add(item);
      const kept = top.sorted();
      expect(kept).toEqual(items.toSorted(compareRanked).slice(0, kept.length));
      expect(kept.length).toBeGreaterThan(0);
      const bytes = kept.reduce((sum, { key }) => sum + key.length, 0);
      expect(kept.length === 1 || bytes <= maxBytes).toBe(true);
    }),
  );
});

/** Distinct keys, as the ids at their ends make them; many have beginnings in common. */
const KEYS = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '\u00ff'), maxLength: 9 }), {
  maxLength: 40,
});
const LIMITS = fc.record({
  maxBytes: fc.integer({ min: 1, max: 2000 }),
  headLength: fc.integer({ min: 1, max: 5 }),
});

const matchesOf = (keys: readonly string[]): Match[] =>
  keys.map((key, doc) => ({ key: Buffer.from(key, 'latin1'), doc }));

function select(items: readonly Match[], skip: number, limit: number, limits: SelectLimits) {
  let passes = 0;
  const matches = () => {
    passes += 1;
    return items;
  };
  return { docs: selectPage(matches, { skip, limit }, limits), passes };
}

describe('a page of a sorted stream', () => {
  it('equals sorting and slicing, however little memory there is', () => {
    fc.assert(
      fc.property(KEYS, fc.nat(45), fc.integer({ min: 1, max: 20 }), LIMITS, (keys, skip, limit, limits) => {
        const items = matchesOf(keys);
        const expected = items.toSorted((a, b) => Buffer.compare(a.key, b.key)).slice(skip, skip + limit);
        expect(select(items, skip, limit, limits).docs).toEqual(expected.map(({ doc }) => doc));
      }),
      { numRuns: 2000 },
    );
  });

  const many = matchesOf(
    Array.from({ length: 1000 }, (_, n) => `${String((n * 7) % 1000).padStart(4, '0')}${'x'.repeat(996)}`),
  );
  const limits = { maxBytes: 100_000, headLength: 20 };

  it('takes one pass if it fits into memory or is empty', () => {
    expect(select(many, 0, 10, limits).passes).toBe(1);
    expect(select(many, 80, 10, limits).passes).toBe(1);
    expect(select(many, 1_000_000_000, 1, limits)).toEqual({ docs: [], passes: 1 });
  });

  it('keeps heads of long keys, so that few passes suffice', () => {
    const { docs, passes } = select(many, 900, 10, limits);
    expect(docs.map((doc) => (doc * 7) % 1000)).toEqual(Array.from({ length: 10 }, (_, n) => 900 + n));
    expect(passes).toBe(1);
  });
});
