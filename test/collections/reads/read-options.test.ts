import { expect, test } from 'vitest';
import { resolvePageSize, resolveReadOptions } from '../../../src/collections/reads/read-options.ts';
import { collectionOf } from '../library-service.ts';

const books = collectionOf('books', { fields: { title: {} }, settings: { count: 25 } });
const large = collectionOf('books', { fields: { title: {} }, settings: { count: 5000 } });

test.each([
  [{}, 25],
  [{ count: 0 }, 100],
  [{ count: 7 }, 7],
  [{ count: 100 }, 100],
  [{ count: 101 }, 100],
])('a request of %j has pages of %i', (request, limit) => {
  expect(resolvePageSize(books, request, 100)).toBe(limit);
});

test('the setting is cut to the cap, too', () => {
  expect(resolvePageSize(large, {}, 100)).toBe(100);
});

test.each([
  [{}, 1, 0],
  [{ page: 0 }, 1, 0],
  [{ page: 3 }, 3, 50],
  [{ page: 3, skip: 4 }, 3, 54],
  [{ page: Number.MAX_SAFE_INTEGER }, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])('a request of %j is page %i at offset %i', (request, page, offset) => {
  expect(resolveReadOptions(books, request, 100).page).toEqual({ limit: 25, page, offset, fields: {} });
});

test('history filters are shown with the history only', () => {
  const historyFilters = { v: 1 };
  expect(resolveReadOptions(books, { historyFilters }, 100).page).not.toHaveProperty('historyFilters');
  const { page: facts } = resolveReadOptions(books, { historyFilters, includeHistory: true }, 100);
  expect(facts.historyFilters).toBe(historyFilters);
});
