import { expect, test } from 'vitest';
import {
  getComposeArgument,
  getObjectArgument,
  parseModelRequest,
} from '../../src/capabilities/model-options.ts';
import { collectionOf } from '../collections/library-service.ts';

const books = collectionOf('books', { fields: { title: { type: 'String' } }, settings: { count: 40 } });
const read = (options: object, maxResults = 100) =>
  parseModelRequest({ options } as never, books, maxResults);

test('nothing given is the page of the collection, within the grant', () => {
  expect(parseModelRequest({}, books, 100)).toEqual({ pageSize: 40 });
  expect(parseModelRequest({ query: null, options: null }, books, 20)).toEqual({ pageSize: 20 });
});

test('reads every option', () => {
  const options = { limit: 5, skip: 1, page: 2, sort: { title: -1 }, fields: { title: 1 }, compose: true };
  expect(parseModelRequest({ query: { title: 'a' }, options }, books, 100)).toEqual({
    ...{ filter: { title: 'a' }, pageSize: 5, skip: 1, page: 2, sort: { title: -1 } },
    ...{ fields: { title: 1 }, compose: true },
  });
});

test('`count` is another name of `limit`, which wins', () => {
  expect(read({ count: 7 }).pageSize).toBe(7);
  expect(read({ count: 7, limit: 8 }).pageSize).toBe(8);
});

test('0 and more than the grant gives mean what the grant gives', () => {
  for (const limit of [0, 0.5, 101, 1e300]) expect(read({ limit }).pageSize).toBe(100);
  expect(read({ limit: 2.9 }).pageSize).toBe(2);
});

test('numbers as text are understood, huge ones are cut', () => {
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
])('`%s` cannot be %j', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({ code: 'BAD_ARGUMENTS', message: expect.stringContaining(`\`${name}\``) }),
  );
});

test('`query` and `options` are objects', () => {
  for (const value of [[], 'x', 1, true]) {
    expect(() => getObjectArgument({ query: value }, 'query')).toThrow('`query` must be an object');
    expect(() => parseModelRequest({ options: value }, books, 1)).toThrow('`options` must be an object');
  }
});

test('inherited names are no options', () => {
  expect(getObjectArgument({}, 'constructor')).toBeUndefined();
  expect(getComposeArgument({})).toBeUndefined();
  for (const compose of [false, 'all', 2, 0]) expect(getComposeArgument({ compose })).toBe(compose);
});
