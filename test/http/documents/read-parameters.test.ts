import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import type { QueryParameter } from '../../../src/http/core/request-url.ts';
import { parseReadRequest } from '../../../src/http/documents/read-query.ts';

const read = (parameters: Partial<Record<QueryParameter, string>>) =>
  parseReadRequest(new Map(Object.entries(parameters)) as Map<QueryParameter, string>);

const refused = (parameters: Partial<Record<QueryParameter, string>>) => {
  try {
    read(parameters);
  } catch (error) {
    if (error instanceof AppError) return { status: error.status, item: error.items[0] };
  }
  return 'accepted';
};

describe('readRequest', () => {
  it('is empty when nothing is asked', () => {
    expect(read({})).toEqual({});
    expect(read({ callback: 'x', cache: 'false' })).toEqual({});
  });

  it('reads every parameter', () => {
    expect(
      read({
        filter: '{"title":"x"}',
        count: '10',
        page: '2',
        skip: '5',
        sort: 'title',
        sortOrder: 'desc',
        fields: '{"title":1}',
        compose: 'true',
        includeHistory: 'true',
        historyFilters: '{"v":1}',
      }),
    ).toEqual({
      filter: { title: 'x' },
      pageSize: 10,
      page: 2,
      skip: 5,
      sort: 'title',
      sortOrder: -1,
      fields: { title: 1 },
      compose: true,
      includeHistory: true,
      historyFilters: { v: 1 },
    });
  });

  it('takes a sort as a map or as a name', () => {
    expect(read({ sort: ' {"a":1,"b":-1}' })).toEqual({ sort: { a: 1, b: -1 } });
    expect(read({ sort: '[1]' })).toEqual({ sort: '[1]' });
  });

  it.each([
    ['asc', 1],
    ['1', 1],
    ['desc', -1],
    ['-1', -1],
  ])('knows the order %s', (sortOrder, expected) => {
    expect(read({ sortOrder })).toEqual({ sortOrder: expected });
  });

  it.each([
    ['0', 0],
    ['-0', 0],
    ['+3', 3],
    ['2.9', 2],
    ['9'.repeat(400), 1_000_000_000_000],
  ])('reads the number %s', (text, expected) => {
    expect(read({ count: text, page: text, skip: text })).toEqual({
      pageSize: expected,
      page: expected,
      skip: expected,
    });
  });

  it('refuses what is no number, in the known words', () => {
    expect(refused({ skip: 'x' })).toEqual({
      status: 400,
      item: {
        status: 'Bad Request',
        code: 'Invalid Parameter',
        title: 'Invalid Skip Parameter Provided',
        details: 'The `skip` parameter must a number',
        field: 'skip',
        message: 'The `skip` parameter must a number',
      },
    });
    expect(refused({ page: '-1' })).toMatchObject({
      item: {
        title: 'Invalid Page Parameter Provided',
        details: 'The `page` parameter must be greater than zero',
      },
    });
    expect(refused({ skip: '-1' })).toMatchObject({
      item: { details: 'The `skip` parameter must be greater than or equal to zero' },
    });
    expect(refused({ count: '-1' })).toMatchObject({ item: { title: 'Invalid Count Parameter Provided' } });
  });

  it.each(['', ' ', 'x', 'NaN', 'Infinity', '0x10', '1e3', '1,5', '--1', '1 '])(
    'refuses count=%j',
    (count) => {
      expect(refused({ count })).toMatchObject({ status: 400, item: { field: 'count' } });
    },
  );

  it.each(['filter', 'fields', 'historyFilters'] as const)('refuses a %s that is no JSON object', (name) => {
    for (const text of ['', '{', 'null', '5', '"a"', '[]', '[{"$match":{}}]', 'undefined']) {
      expect(refused({ [name]: text }), text).toMatchObject({ status: 400, item: { field: name } });
    }
  });

  it.each(['{"__proto__":{}}', '{"a":1e999}', '{"a":"\\ud800"}', '{"a\\u0000":1}'])(
    'refuses filter=%s',
    (filter) => {
      expect(refused({ filter })).toMatchObject({ status: 400, item: { field: 'filter' } });
    },
  );

  it('refuses a filter that is nested too deeply', () => {
    const filter = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
    expect(refused({ filter })).toMatchObject({ status: 400, item: { field: 'filter' } });
  });

  it('says that aggregation pipelines are not taken', () => {
    expect(refused({ filter: '[]' })).toMatchObject({
      item: { message: expect.stringContaining('Aggregation') },
    });
  });

  it('refuses a broken sort map and an unknown order', () => {
    expect(refused({ sort: '{"a":' })).toMatchObject({ item: { field: 'sort' } });
    expect(refused({ sortOrder: 'up' })).toMatchObject({ item: { field: 'sortOrder' } });
  });

  it('refuses history filters also when no history is asked for', () => {
    expect(refused({ historyFilters: '{' })).toMatchObject({ item: { field: 'historyFilters' } });
  });
});
