import { expect, test } from 'vitest';
import { mergeIndexes } from '../../../src/collections/specifications/index-definitions.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { itemsOf, makeCollection, parse } from '../../helpers/fixtures/specifications.ts';

const FIELDS = {
  title: {},
  isbn: { matchType: 'exact' },
  pages: { type: 'Number' },
  tags: { type: 'Mixed' },
  at: { type: 'Object' },
};
const indexesOf = (index: Json) => makeCollection(FIELDS, { index }).settings.indexes;
const warningsOf = (index: Json) => parse(FIELDS, { index }).warnings.map(({ message }) => message);

test('indexes are declared as a list, or as one object', () => {
  const title = {
    name: 'title_1',
    keys: [{ path: 'title', direction: 1 }],
    unique: false,
    sparse: false,
  };
  expect(indexesOf([{ keys: { title: 1 } }])).toEqual([title]);
  expect(indexesOf({ enabled: true, keys: { title: 1 }, options: {} })).toEqual([title]);
  expect(indexesOf({ enabled: false, keys: { title: 1 } })).toEqual([]);
  expect(indexesOf(null)).toEqual([]);
});

test('the name of an index follows from its keys', () => {
  const [index] = indexesOf([{ keys: { title: 1, pages: -1, isbn: 1, tags: 1, 'tags.a': 1, createdBy: 1 } }]);
  expect(index?.name).toBe('title_1_pages_-1_isbn_1_tags_1_tags.a_1_createdBy_1');
});

test('the options unique, sparse and name of an index take effect', () => {
  const options = { unique: true, sparse: true, background: true, name: 'mine' };
  expect(indexesOf([{ keys: { isbn: 1 }, options }])).toMatchObject([
    { name: 'mine', unique: true, sparse: true },
  ]);
  expect(warningsOf([{ keys: { isbn: 1 }, options }])).toEqual([]);
});

test('a media collection has an index on the paths of its files, and room for fewer others', () => {
  const mediaOf = (index: Json, path = {}) =>
    makeCollection({ ...FIELDS, path }, { index, type: 'media' }).settings.indexes;
  const own = { name: 'path_1', unique: false, sparse: false };
  expect(mediaOf(null)).toMatchObject([own]);
  expect(mediaOf([{ keys: { url: 1 } }])).toMatchObject([{ name: 'url_1' }, own]);
  expect(mediaOf({ keys: { path: 1 }, options: { unique: true } })).toMatchObject([{ unique: true }]);
  const many = Array.from({ length: 63 }, (_, n) => ({ keys: { [`tags.${n}`]: 1 } }));
  expect(indexesOf(many)).toHaveLength(63);
  expect(itemsOf(() => mediaOf(many))).toMatchObject([{ message: 'has more than 62 indexes' }]);
});

test('an index on _id alone is there anyway', () => {
  expect(indexesOf([{ keys: { _id: 1 } }, { keys: { pages: 1, _id: -1 } }])).toHaveLength(1);
});

test('what has no effect is kept with a warning', () => {
  expect(indexesOf([{ keys: { title: 'text' } }])).toEqual([]);
  expect(warningsOf([{ keys: { title: 'text' } }])[0]).toContain('only 1 and -1');
  expect(warningsOf([{ keys: { pages: 1 }, options: { expireAfterSeconds: 5 } }])).toEqual([
    '`options.expireAfterSeconds` has no effect',
  ]);
  expect(warningsOf([{ keys: { nobody: 1 } }])[0]).toContain('no field');
});

test.each<[Json]>([
  ['title'],
  [['title']],
  [[{}]],
  [[{ keys: {} }]],
  [[{ keys: { $a: 1 } }]],
  [[{ keys: { 'tags..a': 1 } }]],
  [[{ keys: { 'tags.__proto__': 1 } }]],
  [[{ keys: { title: 1 }, options: [] }]],
  [[{ keys: { title: 1 }, options: { unique: 1 } }]],
  [[{ keys: { title: 1 }, options: { name: '' } }]],
  [[{ keys: { title: 1 }, options: { name: '_id_' } }]],
  [[{ keys: { title: 1 }, options: { unique: true, partialFilterExpression: {} } }]],
  [{ enabled: 'no', keys: { title: 1 } }],
  [Array.from({ length: 64 }, (_, n) => ({ keys: { [`tags.a${n}`]: 1 } }))],
])('the index %j is rejected', (index) => {
  expect(itemsOf(() => indexesOf(index))[0]).toMatchObject({ section: 'settings', setting: 'index' });
});

test('the indexes of one namespace are merged, and each constraint holds', () => {
  const one = makeCollection(
    { a: {} },
    { index: [{ keys: { a: 1 }, options: { name: 'x' } }, { keys: { b: 1 } }] },
  );
  const two = makeCollection(
    { a: { matchType: 'exact' } },
    {
      index: [
        { keys: { a: 1 }, options: { unique: true, sparse: true } },
        { keys: { c: 1 }, options: { name: 'b_1' } },
      ],
    },
    { version: '2.0' },
  );
  expect(mergeIndexes([one, two])).toEqual([
    { name: 'x', keys: [{ path: 'a', direction: 1 }], unique: true, sparse: true },
    { name: 'b_1', keys: [{ path: 'b', direction: 1 }], unique: false, sparse: false },
    { name: 'b_1_2', keys: [{ path: 'c', direction: 1 }], unique: false, sparse: false },
  ]);
  expect(mergeIndexes([])).toEqual([]);
});
