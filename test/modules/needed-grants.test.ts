import { describe, expect, it } from 'vitest';
import { findNeededGrants, missingGrants, policyOf } from '../../src/modules/needed-grants.ts';
import { collection } from '../http/fixtures.ts';

const HOOK = { kind: 'hook', name: 'stamp' } as const;
const ENDPOINT = { kind: 'endpoint', apiVersion: '1.0', name: 'report' } as const;
const at = (path: string, hooks: object | null = null) => {
  const [version = '', database = '', name = ''] = path.split('/');
  const made = collection(name, { settings: { hooks: hooks as never } });
  return { ...made, version, database, path: `/${path}` };
};
const COLLECTIONS = [
  at('1.0/library/books', { beforeCreate: [{ name: 'stamp', options: undefined }] }),
  at('1.0/library/people'),
  at('1.0/shop/people'),
  at('1.0/shop/orders'),
  at('2.0/library/books'),
];
const needs = (source: string, address: Parameters<typeof findNeededGrants>[1] = HOOK) =>
  findNeededGrants(source, address, COLLECTIONS);

describe('what code needs of its policy', () => {
  it('is nothing without a call of Model', () => {
    expect(needs('module.exports = (obj) => obj; // Model("books")')).toBeUndefined();
    expect(needs("const { Model } = require('@dadi/api'); /* Model('books') */")).toBeUndefined();
  });

  it('are the collections that it names, near its own first, with what it does to them', () => {
    expect(needs(`Model('people').find({}); Model("orders").update({}, {})`)).toEqual({
      collections: [
        { name: '1.0/library/people', actions: ['find'] },
        { name: '1.0/shop/orders', actions: ['update'] },
      ],
      unclear: [],
    });
    expect(needs('Model(`shop/people`).stats()')?.collections).toEqual([
      { name: '1.0/shop/people', actions: ['stats'] },
    ]);
  });

  it('are its own collections where it calls by the name that it was told', () => {
    expect(needs('Model(data.collection).count({})')).toEqual({
      collections: [{ name: '1.0/library/books', actions: ['count'] }],
      unclear: [],
    });
  });

  it('of an endpoint are those of its version, and no name that several have', () => {
    const { collections, unclear } =
      needs("Model('books').get(); Model('people').get(); Model('nope').get()", ENDPOINT) ?? {};
    expect(collections).toEqual([{ name: '1.0/library/books', actions: ['find'] }]);
    expect(unclear?.map(({ name, why }) => [name, why])).toEqual([
      ['people', 'several'],
      ['nope', 'missing'],
    ]);
  });

  it('are none where the text does not say what is done, or with what', () => {
    const { collections, unclear } =
      needs("const books = Model('orders');\nmodule.exports = () => use(books);\nModel(name()).find()") ?? {};
    expect(collections).toEqual([]);
    expect(unclear?.map(({ line, why }) => [line, why])).toEqual([
      [1, 'unread'],
      [3, 'computed'],
    ]);
  });

  it.each([
    "const model = require('@dadi/api').Model; model('orders').create({})",
    "let m; m = require('@dadi/api').Model; const orders = m('orders'); orders.create({})",
    "const { Model: M } = require('@dadi/api'); M('orders').create({})",
    "const api = require('@dadi/api'); api.Model('orders').create({})",
    "import { Model as M } from '@dadi/api'; M('orders').create({})",
  ])('are found whatever the code calls `Model`: %s', (source) => {
    expect(needs(source)?.collections).toEqual([{ name: '1.0/shop/orders', actions: ['create'] }]);
  });

  it.each([
    'module.exports = (obj, type, info) => Model(info.collection).find({})',
    'module.exports = (obj, type, { collection }) => Model(collection).find({})',
    'module.exports = (obj, type, { collection: own = "x" }) => Model(own).find({})',
    'module.exports = (obj, type, data) => { const { collection } = data; return Model(collection).find({}) }',
    'const look = (obj, data) => Model(data.collection).getRevisions({})',
  ])('are its own collections whatever the code calls them: %s', (source) => {
    expect(needs(source)?.collections).toEqual([{ name: '1.0/library/books', actions: ['find'] }]);
  });

  it('are nothing of a field of a document that has that name', () => {
    expect(needs('module.exports = (obj, type) => Model(obj.collection).find({})')?.collections).toEqual([]);
  });

  it('are not told of code that cannot be read', () => {
    expect(needs('Model("books"')).toBeUndefined();
  });

  it('are told in a policy, and missing where that does not grant them', () => {
    const found = needs("Model('people').find()");
    expect(found && policyOf(found, '')).toEqual({
      version: 1,
      grants: { collections: [{ name: '1.0/library/people', actions: ['find'] }] },
    });
    expect(found && missingGrants(found, [])).toEqual(['1.0/library/people']);
    expect(found && missingGrants(found, [{ name: '1.0/library/people' }])).toEqual([]);
  });
});
