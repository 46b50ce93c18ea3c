import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareRanked, createTopN } from '../../../../src/stores/sqlite-documents/query/top-n.ts';

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
