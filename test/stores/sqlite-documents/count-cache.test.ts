import { expect, it } from 'vitest';
import type { Filter } from '../../../src/stores/filter.ts';
import { createCountCache } from '../../../src/stores/sqlite-documents/count-cache.ts';

const ENTRY = {
  n: 1,
  ns: { database: null, collection: 'a' },
  documents: 5,
  bytes: 1,
  largest: 1,
  writes: 3,
  indexes: [],
};
const filter = (value: string): Filter => ({ kind: 'field', path: 'a', tests: [{ kind: 'eq', value }] });

it('a count is cached until the next write', () => {
  const counts = createCountCache();
  counts.set(ENTRY, filter('x'), 4);
  expect(counts.get(ENTRY, filter('x'))).toBe(4);
  expect(counts.get(ENTRY, filter('y'))).toBeUndefined();
  expect(counts.get({ ...ENTRY, n: 2 }, filter('x'))).toBeUndefined();
  expect(counts.get({ ...ENTRY, writes: 4 }, filter('x'))).toBeUndefined();
});

it('a filter that is asked for again in another collection is counted there', () => {
  const counts = createCountCache();
  const [asked, other] = [filter('x'), { ...ENTRY, n: 2 }];
  counts.set(ENTRY, asked, 4);
  counts.set(other, asked, 7);
  expect([ENTRY, other, ENTRY].map((entry) => counts.get(entry, asked))).toEqual([4, 7, 4]);
});

it('counts of huge filters are not cached', () => {
  const counts = createCountCache();
  counts.set(ENTRY, filter('x'.repeat(5000)), 4);
  expect(counts.get(ENTRY, filter('x'.repeat(5000)))).toBeUndefined();
});
