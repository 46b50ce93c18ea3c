import { describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../../src/collections/model/documents.ts';
import {
  checkHookRequest,
  decodeHookRequest,
  encodeHookRequest,
} from '../../../src/collections/reads/hook-request.ts';
import type { Json } from '../../../src/lib/json/json.ts';

const FULL: ReadRequest = {
  filter: { title: 'a' },
  count: 5,
  page: 2,
  skip: 1,
  sort: { title: 1 },
  sortOrder: -1,
  fields: { title: 1 },
  compose: true,
  includeHistory: false,
  historyFilters: { v: 1 },
};

describe('what hooks see', () => {
  test('is everything that was sent, the count under the name of the older dialect', () => {
    const { filter, count, ...options } = FULL;
    expect(JSON.parse(encodeHookRequest(FULL))).toEqual({ filter, options: { ...options, limit: count } });
  });

  test('is an empty filter and no options where nothing was sent', () => {
    expect(encodeHookRequest({})).toBe('{"filter":{},"options":{}}');
  });

  test('comes back as it went', () => {
    const text = encodeHookRequest(FULL);
    expect(checkHookRequest(JSON.parse(text))).toBeUndefined();
    expect(decodeHookRequest(JSON.parse(text))).toEqual(FULL);
  });
});

describe('what hooks return', () => {
  test('may leave the options out, and name some that do not exist', () => {
    expect(checkHookRequest({ filter: {} })).toBeUndefined();
    expect(decodeHookRequest({ filter: { a: 1 } })).toEqual({ filter: { a: 1 } });
    const result = JSON.parse('{"filter": {}, "options": {"constructor": 1, "__proto__": {"limit": 1}}}');
    expect(checkHookRequest(result)).toBeUndefined();
    expect(decodeHookRequest(result)).toEqual({ filter: {} });
  });

  test.each<[Json, RegExp]>([
    [{}, /`filter`/],
    [5, /`filter`/],
    [[], /`filter`/],
    [{ filter: [] }, /`filter`/],
    [{ filter: {}, options: [] }, /`options`/],
    [{ filter: {}, options: null }, /`options`/],
    [{ filter: {}, options: { limit: '5' } }, /`limit` is a number/],
    [{ filter: {}, options: { skip: -1 } }, /`skip`/],
    [{ filter: {}, options: { sort: 5 } }, /`sort`/],
    [{ filter: {}, options: { sortOrder: 'asc' } }, /`sortOrder`/],
    [{ filter: {}, options: { fields: 'title' } }, /`fields`/],
    [{ filter: {}, options: { compose: 'yes' } }, /`compose`/],
    [{ filter: {}, options: { compose: -1 } }, /`compose`/],
    [{ filter: {}, options: { historyFilters: 1 } }, /`historyFilters`/],
  ])('%j is at fault', (result, message) => {
    expect(checkHookRequest(result)).toMatch(message);
  });
});
