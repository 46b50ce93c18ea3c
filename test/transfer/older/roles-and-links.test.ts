// What collections of an older database are for, and how documents and revisions find each other.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { findRoles } from '../../../src/transfer/older/older-collections.ts';
import type { OlderDatabase } from '../../../src/transfer/older/older-database.ts';
import { joinPages, withOwners, withRevisionIds } from '../../../src/transfer/older/revision-links.ts';

function database(collections: Readonly<Record<string, readonly JsonObject[]>>): OlderDatabase {
  return {
    name: 'library',
    notices: [],
    collections: Object.entries(collections).map(([name, all]) => ({ name, documents: all.length })),
    async *pages(collection) {
      for (const document of collections[collection] ?? []) yield [document];
    },
    async findByMember(collection, { member, values }) {
      return (collections[collection] ?? []).filter((document) =>
        [document[member]].flat().some((value) => values.includes(value as string)),
      );
    },
  };
}

const rolesOf = async (
  collections: Readonly<Record<string, readonly JsonObject[]>>,
  specified: Readonly<Record<string, string>> = {},
) => {
  const site = {
    separateDatabases: false,
    revisionCollection: ({ collection }: { readonly collection: string }) => specified[collection],
  };
  return Object.fromEntries(
    await findRoles(database(collections), { site, clientCollection: 'clientStore' }),
  );
};

describe('the role of a collection', () => {
  it.each([
    ['clientStore', {}, { kind: 'clients' }],
    ['tokenStore', {}, { kind: 'server' }],
    ['keys', { clientId: 'a', secret: 'b', accessType: 'admin' }, { kind: 'clients' }],
    ['keys', { clientId: 'a', secret: 'b', permissions: {} }, { kind: 'clients' }],
    ['keys', { clientId: 'a', secret: 'b', resources: {} }, { kind: 'clients' }],
    ['keys', { clientId: 'a', secret: 'b', _id: '1' }, { kind: 'clients' }],
    ['keys', { clientId: 'a', secret: 'b', name: 'x', note: 'y' }, { kind: 'documents' }],
    ['keys', { clientId: 'a', secret: 5 }, { kind: 'documents' }],
    ['tokens', { token: 'a', tokenExpire: 1, value: {}, created: 1, _id: '1' }, { kind: 'server' }],
    ['tokens', { token: 'a', tokenExpire: 1, value: {}, more: 1 }, { kind: 'documents' }],
    ['rights', { client: 'a', resource: 'b', access: {} }, { kind: 'server' }],
    ['goneHistory', { originalDocumentId: 'a' }, { kind: 'revisions', owner: 'gone', target: 'goneHistory' }],
    ['goneHistory', { title: 'a' }, { kind: 'documents' }],
    ['goneVersions', { _document: 'a' }, { kind: 'revisions', owner: 'gone', target: 'goneHistory' }],
    ['goneVersions', { title: 'a' }, { kind: 'documents' }],
    ['History', { originalDocumentId: 'a' }, { kind: 'documents' }],
  ])('%s with %j', async (name, document, role) => {
    expect((await rolesOf({ [name]: [document as JsonObject] }))[name]).toEqual(role);
  });

  it('is that of documents where a specification has its name, whatever they look like', async () => {
    const looks = { clientId: 'a', secret: 'b', accessType: 'admin' };
    const all = { keys: [looks], tokenStore: [{ token: 'a', tokenExpire: 1, value: {} }] };
    const kinds = await rolesOf(all, { keys: 'keysHistory', tokenStore: 'tokenStoreHistory' });
    expect(kinds).toEqual({ keys: { kind: 'documents' }, tokenStore: { kind: 'documents' } });
  });

  it('is that of revisions of the collection that keeps them there', async () => {
    const all = {
      books: [{}],
      old: [{ title: 'x' }],
      pages: [{}],
      pagesVersions: [{ _document: 'a' }],
      empty: [],
    };
    expect(await rolesOf(all, { books: 'old' })).toEqual({
      books: { kind: 'documents' },
      old: { kind: 'revisions', owner: 'books', target: 'old' },
      pages: { kind: 'documents', versions: 'pagesVersions' },
      pagesVersions: { kind: 'revisions', owner: 'pages', target: 'pagesHistory' },
      empty: { kind: 'documents' },
    });
  });
});

describe('documents and revisions', () => {
  const versions = [
    { _id: 'v2', _document: 'a', _version: 2 },
    { _id: 'v1', _document: 'a', v: 1 },
    { _id: 'v0', _document: 'a', _version: 'x' },
  ];

  it('are linked by the ids of revisions in their order, where a document lists none', async () => {
    const of = { database: database({ versions }), versions: 'versions' };
    const documents = [
      { _id: 'a', _version: 3 },
      { _id: 'b', v: 1 },
      { _id: 'c', history: ['x'] },
      { _id: 5 },
    ];
    expect(await withRevisionIds(documents, of)).toEqual([
      { _id: 'a', _version: 3, _history: ['v0', 'v1', 'v2'] },
      ...documents.slice(1),
    ]);
    expect(await withRevisionIds([{ _id: 'a', v: 1 }], of)).toEqual([
      { _id: 'a', v: 1, history: ['v0', 'v1', 'v2'] },
    ]);
    const listed = [{ _id: 'c', _history: [] }];
    expect(await withRevisionIds(listed, of)).toBe(listed);
  });

  it('are linked by the document that lists a revision, where that names none', async () => {
    const books = [
      { _id: 'a', history: ['r1', 'r2'] },
      { _id: 'b', _history: 'r3' },
    ];
    const of = { database: database({ books }), owner: 'books' };
    const revisions = [
      { _id: 'r1' },
      { _id: 'r2', originalDocumentId: 'x' },
      { _id: 'r3' },
      { _id: 'r4', _document: 'y' },
    ];
    expect(await withOwners(revisions, of)).toEqual([
      { _id: 'r1', originalDocumentId: 'a' },
      ...revisions.slice(1),
    ]);
    expect(await withOwners(revisions, { ...of, owner: 'gone' })).toBe(revisions);
    const named = [{ _id: 'r4', _document: 'y' }];
    expect(await withOwners(named, of)).toBe(named);
  });

  it('are read a few pages at a time', async () => {
    const pages = async function* () {
      for (let at = 0; at < 9; at += 1) yield [{ at }];
    };
    const joined: number[] = [];
    for await (const page of joinPages(pages())) joined.push(page.length);
    expect(joined).toEqual([4, 4, 1]);
  });
});
