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
      grants: [
        { name: '1.0/library/people', actions: ['find', 'update'] },
        { name: '1.0/shop/orders', actions: ['find', 'update'] },
      ],
      unknown: [],
    });
    expect(needs('Model(`shop/people`).stats()')?.grants).toEqual([
      { name: '1.0/shop/people', actions: ['stats'] },
    ]);
  });

  it('are its own collections where it calls by the name that it was told', () => {
    expect(needs('Model(data.collection).count({})')).toEqual({
      grants: [{ name: '1.0/library/books', actions: ['count'] }],
      unknown: [],
    });
  });

  it('of an endpoint are those of its version, and no name that several have', () => {
    expect(needs("Model('books').get(); Model('people').get(); Model('nope').get()", ENDPOINT)).toEqual({
      grants: [{ name: '1.0/library/books', actions: ['find'] }],
      unknown: ['people', 'nope'],
    });
  });

  it('are at least reading', () => {
    expect(
      needs("const books = Model('books'); module.exports = () => use(books);")?.grants[0]?.actions,
    ).toEqual(['find']);
  });

  it('are told in a policy, and missing where that does not grant them', () => {
    const found = needs("Model('people').find()");
    expect(found && policyOf(found)).toEqual({
      version: 1,
      grants: { collections: [{ name: '1.0/library/people', actions: ['find'] }] },
    });
    expect(found && missingGrants(found, [])).toEqual(['1.0/library/people']);
    expect(found && missingGrants(found, [{ name: '1.0/library/people' }])).toEqual([]);
  });
});
