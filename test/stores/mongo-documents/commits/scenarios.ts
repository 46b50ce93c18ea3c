// Commits as the product makes them, recorded once on the embedded store, to be cut off on another.
import type { Document } from 'mongodb';
import { expect } from 'vitest';
import type { Json } from '../../../../src/lib/json/json.ts';
import type { DocumentStore, Namespace, Write } from '../../../../src/stores/ports.ts';
import { contextOf, type Library, openLibrary } from '../../../collections/library-service.ts';
import type { Workbench } from './workbench.ts';

export interface Scenario {
  readonly name: string;
  /** Acknowledged before. */
  readonly before: readonly (readonly Write[])[];
  /** What is cut off. */
  readonly writes: readonly Write[];
}

const text = { type: 'String' };
const reference = (collection: string) => ({ type: 'Reference', settings: { collection } });

const SOURCES = {
  books: {
    fields: { title: text, author: reference('people') },
    settings: { storeRevisions: true },
  },
  people: { fields: { name: text, home: reference('towns') }, settings: { storeRevisions: true } },
  towns: { fields: { name: text } },
};

const COLLECTIONS = ['books', 'people', 'towns', 'booksHistory', 'peopleHistory'] as const;

const space = (collection: string): Namespace => ({ database: null, collection });

/** The store, each of its commits noted down in the database of a connection string. */
function noting(store: DocumentStore, commits: (readonly Write[])[]): DocumentStore {
  const commit: DocumentStore['commit'] = async (writes, options) => {
    await store.commit(writes, options);
    commits.push(writes.map((write) => ({ ...write, ns: space(write.ns.collection) })));
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = name === 'commit' ? commit : Reflect.get(target, name);
      return typeof value === 'function' && name !== 'commit' ? value.bind(target) : value;
    },
  });
}

async function record(name: string, act: (library: Library) => Promise<unknown>): Promise<Scenario> {
  const commits: (readonly Write[])[] = [];
  const library = await openLibrary(SOURCES, { wrap: (store) => noting(store, commits) });
  await act(library);
  await library.close();
  const [writes, ...before] = commits.toReversed();
  if (writes === undefined) throw new Error('nothing was written');
  return { name, before: before.toReversed(), writes };
}

const nested = (name: string): Json => ({ title: name, author: { name, home: { name } } });

async function book({ create }: Library, name: string): Promise<string> {
  const [created] = await create('books', nested(name));
  return String(created?.['_id']);
}

/** A document in its own collection, its revision, what it refers to: created, changed, removed, one and many. */
export function recordScenarios(): Promise<Scenario[]> {
  return Promise.all([
    record('a nested create', (library) => book(library, 'a')),
    record('an update with new sub-documents', async (library) => {
      const id = await book(library, 'a');
      const { documents, at } = library;
      await documents.updateById(at('books'), id, nested('b'), contextOf(), {});
    }),
    record('a removal', async (library) => {
      const id = await book(library, 'a');
      await library.documents.removeById(library.at('books'), id, contextOf(), {});
    }),
    record('a batch', async ({ create }) => {
      const batch = Array.from({ length: 30 }, (_, n) => nested(`n${n}`));
      await create('books', batch);
    }),
    record('an update by query', async ({ create, documents, at }) => {
      await create('books', ['a', 'b', 'c'].map(nested));
      await documents.updateByQuery(
        at('books'),
        { query: {}, all: true, update: { title: 'new' } },
        contextOf(),
        {},
      );
    }),
    record('a removal by query', async ({ create, documents, at }) => {
      await create('books', ['a', 'b', 'c'].map(nested));
      await documents.removeByQuery(at('books'), { query: {}, all: true }, contextOf(), {});
    }),
  ]);
}

/** What every collection holds. */
async function contents(bench: Workbench): Promise<ReadonlyMap<string, readonly Document[]>> {
  const entries = COLLECTIONS.map(async (name) => [name, await bench.stored(space(name))] as const);
  return new Map(await Promise.all(entries));
}

/** Nothing refers to what is not there, and every state of a document has its revision. Returns how many there are. */
export async function expectWhole(bench: Workbench): Promise<Record<string, number>> {
  const all = await contents(bench);
  const ids = (name: string) => new Set((all.get(name) ?? []).map(({ _id }) => String(_id)));
  const dangling = (from: string, field: string, to: string) => {
    const there = ids(to);
    return (all.get(from) ?? []).flatMap((one) =>
      [one[field]].flat().filter((id) => id !== undefined && !there.has(id)),
    );
  };
  expect(dangling('books', 'author', 'people')).toEqual([]);
  expect(dangling('people', 'home', 'towns')).toEqual([]);
  for (const name of ['books', 'people']) {
    expect(dangling(name, 'history', `${name}History`)).toEqual([]);
    for (const one of all.get(name) ?? []) expect(one['history']).toHaveLength(one['v']);
  }
  return Object.fromEntries(COLLECTIONS.map((name) => [name, all.get(name)?.length ?? 0]));
}

/** What is there when the last of the writes is done, by collection. */
export function countsAfter({ before, writes }: Scenario, done: boolean): Record<string, number> {
  const counts = Object.fromEntries(COLLECTIONS.map((name) => [name, 0]));
  for (const { kind, ns } of [...before.flat(), ...(done ? writes : [])]) {
    const change = { insert: 1, update: 0, remove: -1 }[kind];
    counts[ns.collection] = (counts[ns.collection] ?? 0) + change;
  }
  return counts;
}
