// What the contract of document stores is told in: namespaces, writes, filters, queries.
import type { StoreError } from '../../src/errors/errors.ts';
import type { MaybePromise } from '../../src/lib/async/maybe-promise.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type Filter, type FilterTest, MATCH_ALL } from '../../src/stores/filter.ts';
import type { DocumentStore, FindQuery, IndexDefinition, Namespace, Write } from '../../src/stores/ports.ts';

export interface OpenedStore {
  readonly store: DocumentStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<DocumentStore>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
  /** Tells its namespaces from those of others, where it lies on a server with more than this test's data. */
  owns?(ns: Namespace): boolean;
}

export const BOOKS: Namespace = { database: null, collection: 'books' };
export const NEIGHBOUR: Namespace = { database: null, collection: 'bookshelves' };
/** Its database is one of this process alone: on a shared server every name stands in one space. */
export const ELSEWHERE: Namespace & { readonly database: string } = {
  database: `library-${process.pid}`,
  collection: 'books',
};

export const idOf = (n: number): string => n.toString(16).padStart(24, '0');

export const insert = (ns: Namespace, n: number, fields: JsonObject): Write => ({
  kind: 'insert',
  ns,
  document: { _id: idOf(n), v: 1, ...fields },
});

export const where = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });

export const query = (parts: Partial<FindQuery> = {}): FindQuery => ({
  filter: MATCH_ALL,
  sort: [],
  skip: 0,
  limit: 1000,
  ...parts,
});

export function index(name: string, keys: Record<string, 1 | -1>, more: Partial<IndexDefinition> = {}) {
  const parts = Object.entries(keys).map(([path, direction]) => ({ path, direction }));
  return { name, keys: parts, unique: false, sparse: false, ...more } satisfies IndexDefinition;
}

/** The StoreError that `work` rejects with. */
export async function failureOf(work: MaybePromise<unknown>): Promise<StoreError> {
  return Promise.resolve(work).then(
    () => {
      throw new Error('it was expected to fail');
    },
    (error: StoreError) => error,
  );
}

/** The store that a test works on; `reopen` replaces it. */
export interface Subject {
  store: DocumentStore;
  reopen(): Promise<void>;
  /** Its namespaces that hold documents. */
  collections(): Promise<readonly Namespace[]>;
}

/** The numbers of the documents that a query finds, in its order. */
export async function idsOf(subject: Subject, parts: Partial<FindQuery>, ns = BOOKS): Promise<number[]> {
  const found = await subject.store.find(ns, query(parts));
  return found.map((document) => Number.parseInt(document._id, 16));
}
