import { expect, test } from 'vitest';
import {
  getComposeArgument,
  getObjectArgument,
  parseModelRequest,
} from '../../src/capabilities/model-calls.ts';
import { collectionOf } from '../collections/library-service.ts';

const books = collectionOf('books', { fields: { title: { type: 'String' } }, settings: { count: 40 } });
const read = (options: object, maxResults = 100) =>
  parseModelRequest({ options } as never, books, maxResults);

test('a Model request without options has the page size of the collection within the grant', () => {
  expect(parseModelRequest({}, books, 100)).toEqual({ pageSize: 40 });
  expect(parseModelRequest({ query: null, options: null }, books, 20)).toEqual({ pageSize: 20 });
});

test('a Model request has every option', () => {
  const options = { limit: 5, skip: 1, page: 2, sort: { title: -1 }, fields: { title: 1 }, compose: true };
  expect(parseModelRequest({ query: { title: 'a' }, options }, books, 100)).toEqual({
    filter: { title: 'a' },
    pageSize: 5,
    skip: 1,
    page: 2,
    sort: { title: -1 },
    fields: { title: 1 },
    compose: true,
  });
});

test('`count` is an alias of `limit`, which wins', () => {
  expect(read({ count: 7 }).pageSize).toBe(7);
  expect(read({ count: 7, limit: 8 }).pageSize).toBe(8);
});

test('Model options have the forms of a query string where these are clear', () => {
  const options = { sortOrder: 'desc', includeHistory: true, historyFilters: { v: 1 }, page: '2.9' };
  expect(read(options)).toMatchObject({
    sortOrder: -1,
    includeHistory: true,
    historyFilters: { v: 1 },
    page: 2,
  });
});

test('a Model limit of 0 or above the grant means that of the grant', () => {
  for (const limit of [0, 0.5, 101, 1e300]) expect(read({ limit }).pageSize).toBe(100);
  expect(read({ limit: 2.9 }).pageSize).toBe(2);
});

test('Model options accept numbers as text and cut huge ones', () => {
  expect(read({ skip: '3' }).skip).toBe(3);
  expect(read({ page: 1e300 }).page).toBe(1_000_000_000_000);
});

test.each([
  ['limit', -1],
  ['limit', 'many'],
  ['skip', ' '],
  ['skip', true],
  ['page', [1]],
  ['sort', 1],
  ['sort', ['title']],
  ['fields', 'title'],
  ['fields', [1]],
  ['compose', 'true'],
  ['compose', -1],
  ['compose', 1.5],
])('the Model option `%s` cannot be %j', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({
      code: 'PARAMETER_INVALID',
      items: [
        expect.objectContaining({ field: name, message: expect.stringContaining(`\`${name}\` must be`) }),
      ],
    }),
  );
});

test('`query` and `options` of Model must be objects', () => {
  for (const value of [[], 'x', 1, true]) {
    const refusal = (field: string) =>
      expect.objectContaining({
        code: 'PARAMETER_INVALID',
        items: [
          expect.objectContaining({
            field,
            message: expect.stringContaining(`\`${field}\` must be an object`),
          }),
        ],
      });
    expect(() => getObjectArgument({ query: value }, 'query')).toThrow(refusal('query'));
    expect(() => parseModelRequest({ options: value }, books, 1)).toThrow(refusal('options'));
  }
});

test('inherited members are not Model options', () => {
  expect(getObjectArgument({}, 'constructor')).toBeUndefined();
  expect(getComposeArgument({})).toBeUndefined();
  for (const compose of [false, 'all', 2, 0]) expect(getComposeArgument({ compose })).toBe(compose);
});
