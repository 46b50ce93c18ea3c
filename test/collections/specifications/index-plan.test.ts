import { expect, test } from 'vitest';
import {
  activeRevisionNamespace,
  planIndexes,
  planIndexesOf,
} from '../../../src/collections/specifications/index-plan.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { makeCollection } from '../../helpers/specifications.ts';

const books = makeCollection({ a: {} }, { storeRevisions: true, index: [{ keys: { a: 1 } }] });
const HISTORY = { database: null, collection: 'booksHistory' };

test('revisions live beside the documents', () => {
  expect(activeRevisionNamespace(books)).toEqual(HISTORY);
  expect(activeRevisionNamespace(makeCollection({ a: {} }))).toBeUndefined();
});

test('the home of revisions can be asked by the document they are of', () => {
  const plans = planIndexesOf(books, [books]);
  expect(
    plans.map(({ namespace, indexes }) => [namespace.collection, indexes.map(({ name }) => name)]),
  ).toEqual([
    ['books', ['a_1']],
    ['booksHistory', ['originalDocumentId_1_v_1']],
  ]);
});

test('collections of one name are planned together', () => {
  const second = makeCollection({ b: {} }, { index: [{ keys: { b: 1 } }] }, { version: '2.0' });
  expect(planIndexes(books.namespace, [books, second]).indexes.map(({ name }) => name)).toEqual([
    'a_1',
    'b_1',
  ]);
  expect(planIndexes(books.namespace, []).indexes).toEqual([]);
});

test('a specification of the revision collection adds its own, under whatever name', () => {
  const own = [
    { keys: { a: 1 }, options: { name: 'originalDocumentId_1_v_1' } },
    { keys: { originalDocumentId: 1, v: 1 }, options: { name: 'mine' } },
  ];
  const namesWith = (index: Json) => {
    const history = makeCollection({ a: {} }, { index }, { name: 'booksHistory' });
    return planIndexes(HISTORY, [books, history]).indexes.map(({ name }) => name);
  };
  expect(namesWith([own[0]!])).toEqual(['originalDocumentId_1_v_1', 'originalDocumentId_1_v_1_2']);
  expect(namesWith([own[1]!])).toEqual(['mine']);
});
