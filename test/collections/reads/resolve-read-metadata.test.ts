import { expect, test } from 'vitest';
import { countMetadata, pageMetadata, writeMetadata } from '../../../src/collections/reads/resolve-read.ts';

const page = (number: number, total: number) =>
  pageMetadata({ limit: 10, page: number, offset: (number - 1) * 10, fields: {} }, total);

test.each([
  [1, 0, { totalPages: 0 }],
  [1, 10, { totalPages: 1 }],
  [1, 11, { totalPages: 2, nextPage: 2 }],
  [2, 21, { totalPages: 3, nextPage: 3, prevPage: 1 }],
  [3, 21, { totalPages: 3, prevPage: 2 }],
  [4, 21, { totalPages: 3 }],
])('the metadata of page %i of %i matches name its neighbours', (number, totalCount, expected) => {
  const offset = (number - 1) * 10;
  expect(page(number, totalCount)).toEqual({
    limit: 10,
    page: number,
    fields: {},
    offset,
    totalCount,
    ...expected,
  });
});

test('sort and history filters are shown where they apply', () => {
  const facts = {
    limit: 1,
    page: 1,
    offset: 0,
    fields: { a: 1 },
    sort: { a: -1 },
    historyFilters: {},
  } as const;
  expect(pageMetadata(facts, 1)).toMatchObject({ fields: { a: 1 }, sort: { a: -1 }, historyFilters: {} });
});

test('the metadata of writes and of counts have the total', () => {
  expect(writeMetadata(3)).toEqual({ page: 1, offset: 0, totalCount: 3, totalPages: 1 });
  expect(writeMetadata(0)).toEqual({ page: 1, offset: 0, totalCount: 0, totalPages: 0 });
  expect(countMetadata(40, 123)).toEqual({ metadata: { limit: 40, totalCount: 123, totalPages: 4 } });
});
