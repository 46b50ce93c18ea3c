import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTop } from '../../../src/stores/sqlite-documents/top.ts';

it('keeps what sorting and cutting would keep', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(999), { maxLength: 60 }), fc.nat(20), (numbers, size) => {
      const top = createTop(size);
      for (const n of numbers) top.add({ key: Buffer.from([n >> 8, n & 0xff]), doc: n });
      const kept = top.sorted().map((item) => item.doc);
      expect(kept).toEqual(numbers.toSorted((a, b) => a - b).slice(0, size));
    }),
  );
});
