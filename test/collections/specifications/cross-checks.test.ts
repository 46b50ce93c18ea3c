import { expect, test } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { createRegistry } from '../../../src/collections/model/registry.ts';
import { crossCheck, warnMissingHooks } from '../../../src/collections/specifications/cross-checks.ts';
import { makeCollection } from '../../helpers/specifications.ts';

function remarks(collection: Collection, ...others: readonly Collection[]) {
  const registry = createRegistry();
  for (const entry of [collection, ...others]) registry.put(entry);
  return crossCheck(collection, registry).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('references that lead nowhere', () => {
  const fields = {
    author: { type: 'Reference', settings: { collection: 'people' } },
    self: { type: 'Reference' },
  };
  const books = makeCollection(fields);
  expect(remarks(books)).toEqual([
    'fields.author.settings.collection: `author` refers to a collection that does not exist in version 1.0',
  ]);
  expect(remarks(books, makeCollection({ a: {} }, {}, { name: 'people' }))).toEqual([]);
});

test('documents shared by two folders, not by two versions', () => {
  const books = makeCollection({ a: {} });
  expect(remarks(books, makeCollection({ a: {} }, {}, { version: '2.0' }))).toEqual([]);
  expect(remarks(books, makeCollection({ a: {} }, {}, { database: 'archive' }))[0]).toContain(
    'shares its documents with /1.0/archive/books',
  );
});

test('documents that are records of a media collection, for one that is none', () => {
  const media = makeCollection({ a: {} }, { type: 'media' }, { version: '2.0' });
  expect(remarks(makeCollection({ a: {} }), media)).toEqual([
    expect.stringMatching(
      /^settings.type: shares its documents with the media collection \/2.0\/library\/books/,
    ),
  ]);
  expect(remarks(makeCollection({ a: {} }, { type: 'media' }), media)).toEqual([]);
});

test('a collection that becomes the home of revisions', () => {
  const books = makeCollection({ a: {} }, { storeRevisions: true });
  const history = makeCollection({ a: {} }, {}, { name: 'booksHistory' });
  expect(remarks(books, history)[0]).toContain('/1.0/library/booksHistory');
});

test('hooks that are named and not there', () => {
  const use = (...hooks: string[]) =>
    makeCollection({ a: {} }, { hooks: { afterGet: hooks, beforeGet: ['b'] } });
  expect(warnMissingHooks(use('a', 'b'), new Set(['b']))).toEqual([
    { path: ['settings', 'hooks', 'afterGet'], message: 'afterGet: there is no hook `a`' },
  ]);
  expect(warnMissingHooks(use('a'), undefined)).toEqual([]);
  expect(warnMissingHooks(makeCollection({ a: {} }), new Set())).toEqual([]);
});
