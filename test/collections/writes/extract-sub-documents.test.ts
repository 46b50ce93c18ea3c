import { expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import {
  type ExtractOptions,
  extractSubDocuments,
} from '../../../src/collections/writes/extract-sub-documents.ts';
import { WHOLE_BODY } from '../../../src/collections/writes/planned-write.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { callerNamed, collectionOf, LIMITS } from '../library-service.ts';

const BOOKS = collectionOf('books', {
  fields: {
    title: {},
    data: { type: 'Object' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    picture: { type: 'Reference', settings: { collection: 'images' } },
    old: { type: 'Reference', settings: { collection: 'booksHistory' } },
  },
  settings: { storeRevisions: true },
});
const PEOPLE = collectionOf('people', { fields: { name: {}, friend: { type: 'Reference' } } });
const ID = 'a'.repeat(24);

function optionsOf(changes: Partial<ExtractOptions> = {}): ExtractOptions {
  const registry = createCollectionRegistry();
  const images = collectionOf('images', { fields: { alt: {} }, settings: { type: 'media' } });
  const history = collectionOf('booksHistory', { fields: { title: {} } });
  for (const collection of [BOOKS, PEOPLE, images, history]) registry.put(collection);
  let made = 0;
  const generateId = () => {
    made += 1;
    return `new${made}`;
  };
  return {
    registry,
    limits: LIMITS,
    quota: { remaining: 10 },
    generateId,
    caller: callerNamed('ann'),
    ...changes,
  };
}

const flat = (body: JsonObject, changes: Partial<ExtractOptions> = {}) =>
  extractSubDocuments({ collection: BOOKS, position: WHOLE_BODY }, body, optionsOf(changes));

test('a body without sub-documents only loses its internals', () => {
  const body = { title: 'A', data: { _id: 1 }, author: ID, v: 3, composed: {}, _id: ID };
  expect(flat(body)).toEqual({
    fields: { title: 'A', data: { _id: 1 }, author: ID },
    position: WHOLE_BODY,
    subDocuments: [],
    issues: [],
  });
});

test('the extraction of sub-documents takes a tree apart, innermost first, and keeps order and shape of lists', () => {
  const body = {
    author: [ID, { name: 'B', friend: { name: 'C' } }, { _id: ID.toUpperCase(), name: 'D', v: 2 }, null],
  };
  const { fields, subDocuments, issues } = flat(body);
  expect(issues).toEqual([]);
  expect(fields).toEqual({ author: [ID, 'new2', ID, null] });
  const shown = subDocuments.map(({ collection, id, isNew, fields: own, v, position }) => {
    return [collection.name, id, isNew, own, v, position.prefix];
  });
  expect(shown).toEqual([
    ['people', 'new1', true, { name: 'C' }, undefined, 'author.1.friend.'],
    ['people', 'new2', true, { name: 'B', friend: 'new1' }, undefined, 'author.1.'],
    ['people', ID, false, { name: 'D' }, 2, 'author.2.'],
  ]);
});

test.each([
  ['an odd _id', { author: { _id: 'x' } }, 'author'],
  ['an odd _id in a list', { author: [ID, { _id: 5 }] }, 'author.1'],
  ['a new medium without its file', { picture: { alt: 'x' } }, 'picture.file'],
  ['a new revision', { old: { title: 'x' } }, 'old'],
])('%s is an issue', (_name, body, field) => {
  expect(flat(body).issues).toMatchObject([{ field }]);
});

test('an object from a collection that cannot be written is its id', () => {
  expect(flat({ picture: { _id: ID, alt: 'other' } })).toMatchObject({
    fields: { picture: ID },
    subDocuments: [],
  });
});

test('creating needs the permission', () => {
  const caller = callerNamed('eve', ['people', 'create']);
  expect(() => flat({ author: [{ name: 'A' }] }, { caller })).toThrow(
    expect.objectContaining({
      code: 'NOT_PERMITTED',
      items: [expect.objectContaining({ field: 'author.0' })],
    }),
  );
  expect(flat({ author: { _id: ID } }, { caller }).fields).toEqual({ author: ID });
});

test('depth and number are bounded', () => {
  let person: JsonObject = { name: 'X' };
  for (let level = 0; level < 10; level += 1) person = { friend: person };
  expect(flat({ author: person }).issues).toMatchObject([
    { field: expect.stringMatching(/^author(\.friend){10}$/) },
  ]);
  expect(() => flat({ author: [{}, {}, {}] }, { quota: { remaining: 2 } })).toThrow(
    expect.objectContaining({ code: 'WRITE_TOO_LARGE' }),
  );
});
