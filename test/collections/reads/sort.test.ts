import { expect, test } from 'vitest';
import { resolveSort } from '../../../src/collections/reads/sort.ts';
import { AppError } from '../../../src/errors.ts';
import { collectionOf } from '../library-service.ts';

const FIELDS = { title: {}, data: { type: 'Object' }, author: { type: 'Reference' } };
const plain = collectionOf('books', { fields: FIELDS });
const sorted = collectionOf('books', { fields: FIELDS, settings: { sort: 'title', sortOrder: -1 } });

test.each([
  ['nothing asked, nothing set', plain, {}, []],
  ['nothing asked', sorted, {}, [['title', -1]]],
  ['only an order asked', sorted, { sortOrder: 1 }, [['title', 1]]],
  ['a field', sorted, { sort: 'createdAt' }, [['createdAt', 1]]],
  ['a field and an order', plain, { sort: 'title', sortOrder: -1 }, [['title', -1]]],
  [
    'a map',
    plain,
    { sort: { title: -1, v: 1 } },
    [
      ['title', -1],
      ['v', 1],
    ],
  ],
  [
    'a map of words',
    plain,
    { sort: { title: 'desc', 'data.x': 'asc' } },
    [
      ['title', -1],
      ['data.x', 1],
    ],
  ],
  [
    'fields behind the id',
    plain,
    { sort: { title: 1, _id: -1, v: 1 } },
    [
      ['title', 1],
      ['_id', -1],
    ],
  ],
  ['an unknown field', sorted, { sort: 'nope' }, [['title', -1]]],
  ['a path through a reference', plain, { sort: { 'author.name': 1, title: 1 } }, [['title', 1]]],
] as const)('%s', (_name, collection, request, expected) => {
  expect(resolveSort(collection, request)).toEqual(expected);
});

test('refuses other directions, and too many keys', () => {
  expect(() => resolveSort(plain, { sort: { title: 2 } })).toThrow(AppError);
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`data.x${n}`, 1]));
  expect(() => resolveSort(plain, { sort: many })).toThrow(AppError);
});
