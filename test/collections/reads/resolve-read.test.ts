import { expect, test } from 'vitest';
import {
  resolvePageSize,
  resolveReadOptions,
  resolveSort,
} from '../../../src/collections/reads/resolve-read.ts';
import { AppError } from '../../../src/errors/errors.ts';
import { collectionOf } from '../library-service.ts';

const books = collectionOf('books', { fields: { title: {} }, settings: { count: 25 } });
const largePages = collectionOf('books', { fields: { title: {} }, settings: { count: 5000 } });

test.each([
  [{}, 25],
  [{ pageSize: 0 }, 100],
  [{ pageSize: 7 }, 7],
  [{ pageSize: 100 }, 100],
  [{ pageSize: 101 }, 100],
])('a request of %j has a page size of %i', (request, limit) => {
  expect(resolvePageSize(books, request, 100)).toBe(limit);
});

test('the page size of the collection is cut to the maximum, too', () => {
  expect(resolvePageSize(largePages, {}, 100)).toBe(100);
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

test('the metadata has history filters only where revisions are included', () => {
  const historyFilters = { v: 1 };
  expect(resolveReadOptions(books, { historyFilters }, 100).page).not.toHaveProperty('historyFilters');
  const { page } = resolveReadOptions(books, { historyFilters, includeHistory: true }, 100);
  expect(page.historyFilters).toBe(historyFilters);
});

const FIELDS = { title: {}, data: { type: 'Object' }, author: { type: 'Reference' } };
const unsorted = collectionOf('books', { fields: FIELDS });
const sorted = collectionOf('books', { fields: FIELDS, settings: { sort: 'title', sortOrder: -1 } });

test.each([
  ['no parameter and no setting is none', unsorted, {}, []],
  ['no parameter is that of the collection', sorted, {}, [['title', -1]]],
  ['sortOrder alone turns that of the collection', sorted, { sortOrder: 1 }, [['title', 1]]],
  ['a field name is ascending', sorted, { sort: 'createdAt' }, [['createdAt', 1]]],
  ['a field name and sortOrder is both', unsorted, { sort: 'title', sortOrder: -1 }, [['title', -1]]],
  [
    'a map has all its keys',
    unsorted,
    { sort: { title: -1, v: 1 } },
    [
      ['title', -1],
      ['v', 1],
    ],
  ],
  [
    'a map of asc and desc is a map of directions',
    unsorted,
    { sort: { title: 'desc', 'data.x': 'asc' } },
    [
      ['title', -1],
      ['data.x', 1],
    ],
  ],
  [
    'a map with fields after _id ends with _id',
    unsorted,
    { sort: { title: 1, _id: -1, v: 1 } },
    [
      ['title', 1],
      ['_id', -1],
    ],
  ],
  ['an unknown field is that of the collection', sorted, { sort: 'nope' }, [['title', -1]]],
  [
    'a path through a reference leaves that path out',
    unsorted,
    { sort: { 'author.name': 1, title: 1 } },
    [['title', 1]],
  ],
] as const)('the sort of %s', (_name, collection, request, expected) => {
  expect(resolveSort(collection, request)).toEqual(expected);
});

test('sort with another direction or too many keys is an AppError', () => {
  expect(() => resolveSort(unsorted, { sort: { title: 2 } })).toThrow(AppError);
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`data.x${n}`, 1]));
  expect(() => resolveSort(unsorted, { sort: many })).toThrow(AppError);
});
