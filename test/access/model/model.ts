// The model of the access rules: collections in plain arrays that answer requests of callers as the server must.
import { createReads } from './reads.ts';
import type { ModelRequest } from './requests.ts';
import type { Expected, ModelCaller, ModelCollection, ModelDocument, ModelSpecification } from './world.ts';
import { createWrites } from './writes.ts';

export interface Model {
  readonly collections: ReadonlyMap<string, ModelCollection>;
  /** Puts a specification in force; documents stay. */
  specify(name: string, specification: ModelSpecification): void;
  /** What the server must answer. A write that it must carry out is carried out. */
  ask(caller: ModelCaller, request: ModelRequest): Expected;
  /** Ids of documents that were created and do not have that of the server yet. */
  unnamed(): readonly { readonly collection: string; readonly document: ModelDocument }[];
  /** Gives a document the id that the server gave it, wherever it stands, and returns what was expected with it. */
  rename(expected: Expected, from: string, to: string): Expected;
}

const NEW = 'new document ';

export function createModel(): Model {
  const collections = new Map<string, ModelCollection>();
  let serial = 0;
  const reads = createReads(collections);
  const writes = createWrites(collections, reads, () => {
    serial += 1;
    return `${NEW}${serial}.`;
  });
  return {
    collections,

    specify(name, specification) {
      const known = collections.get(name);
      if (known !== undefined) known.specification = specification;
      else collections.set(name, { name, specification, documents: new Map(), revisions: new Map() });
    },

    ask(caller, request) {
      const collection = collections.get(request.collection)!;
      switch (request.kind) {
        case 'list':
          return reads.list(caller, collection, request.options);
        case 'count':
          return reads.list(caller, collection, request.options, true);
        case 'get':
          return reads.get(caller, collection, request);
        case 'history':
          return reads.history(caller, collection, request);
        case 'stats':
          return reads.stats(caller, collection);
        case 'create':
          return writes.create(caller, collection, request);
        case 'update':
          return writes.update(caller, collection, request);
        case 'updateMany':
          return writes.updateMany(caller, collection, request);
        case 'delete':
          return writes.removeOne(caller, collection, request);
        case 'deleteMany':
          return writes.removeMany(caller, collection, request);
        case 'restore':
          return writes.restore(caller, collection, request);
      }
    },

    unnamed: () =>
      [...collections.values()].flatMap(({ name, documents }) =>
        [...documents.values()]
          .filter(({ _id }) => _id.startsWith(NEW))
          .map((document) => ({ collection: name, document })),
      ),

    rename(expected, from, to) {
      const renamed = <T>(value: T): T =>
        JSON.parse(JSON.stringify(value).replaceAll(`"${from}"`, `"${to}"`));
      for (const { documents, revisions } of collections.values()) {
        for (const [id, document] of documents) {
          if (id === from) documents.delete(from);
          documents.set(id === from ? to : id, renamed(document));
        }
        for (const [id, known] of revisions) {
          if (id === from) revisions.delete(from);
          revisions.set(id === from ? to : id, renamed(known));
        }
      }
      return renamed(expected);
    },
  };
}
