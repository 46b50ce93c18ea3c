// Lists, counts, documents, histories and statistics, as a caller must get them.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { decide, mayUseField, rejectionOf } from './decisions.ts';
import { matches, pathsIn } from './match.ts';
import type { ReadOptions, RequestOf } from './requests.ts';
import { mayFilterBy, readable, show, valuesFor, visibleFields } from './views.ts';
import {
  type Collections,
  type Expected,
  INTERNALS,
  type ModelCaller,
  type ModelCollection,
  type ModelDocument,
} from './world.ts';

/** The size of a page unless a request says otherwise. */
const PAGE = 40;

/** Types in the order of MongoDB: missing, numbers, text, truth. */
const RANKS: Readonly<Record<string, number>> = { undefined: 0, object: 0, number: 1, string: 2, boolean: 3 };

function compareValues(one: Json | undefined, other: Json | undefined): number {
  const difference = (RANKS[typeof one] ?? 0) - (RANKS[typeof other] ?? 0);
  if (difference !== 0 || one === undefined || one === null || one === other) return difference;
  return one < (other as string) ? -1 : 1;
}

function sorted(
  documents: readonly ModelDocument[],
  keys: readonly (readonly [string, 1 | -1])[],
): readonly ModelDocument[] {
  const [, last = 1] = keys.at(-1) ?? [];
  const all = [...keys, ['_id', last] as const];
  return documents.toSorted((one, other) => {
    for (const [name, direction] of all) {
      const order = compareValues(one[name] as Json, other[name] as Json) * direction;
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** The revisions that the caller sees of a document whose present state it may read. */
function visibleRevisions(
  caller: ModelCaller,
  collection: ModelCollection,
  id: string,
): readonly JsonObject[] {
  const read = decide(caller, collection, 'read');
  return (collection.revisions.get(id) ?? [])
    .filter(({ state }) => read.allows(state))
    .map(({ action, state }) => ({ ...visibleFields(caller, collection, state), action }));
}

/** Answers reads; changes nothing. */
export function createReads(collections: Collections) {
  const documentsFor = (caller: ModelCaller, collection: ModelCollection): readonly ModelDocument[] =>
    [...collection.documents.keys()]
      .map((id) => readable(caller, collection, id))
      .filter((document) => document !== undefined);

  /** False where the filter names what the caller may not know. */
  const isKnown = (caller: ModelCaller, collection: ModelCollection, filter: JsonObject): boolean =>
    pathsIn(filter).every((path) => mayFilterBy(collections, caller, collection, path));

  const find = (caller: ModelCaller, collection: ModelCollection, filter: JsonObject) =>
    documentsFor(caller, collection).filter((document) =>
      matches(filter, valuesFor(collections, caller, collection, document)),
    );

  const present = (
    caller: ModelCaller,
    collection: ModelCollection,
    document: ModelDocument,
    { compose = 0, includeHistory = false }: ReadOptions,
  ): JsonObject => {
    const shown = show({ collections, caller, above: [] }, collection, document, compose);
    if (!includeHistory) return shown;
    const right = decide(caller, collection, 'history');
    const may = right.isAddressed && right.allows(document);
    return { ...shown, history: may ? visibleRevisions(caller, collection, document._id) : [] };
  };

  return {
    isKnown,
    find,

    list(caller: ModelCaller, collection: ModelCollection, options: ReadOptions, isCount = false): Expected {
      const { filter = {}, sort = {}, count = PAGE, page = 1 } = options;
      if (!decide(caller, collection, 'read').isAddressed)
        return { statuses: [rejectionOf(caller, collection.specification)] };
      if (!isKnown(caller, collection, filter)) return { statuses: [400] };
      // A field that the caller may not read sorts as one that does not exist: not at all.
      const keys = Object.entries(sort).filter(
        ([name]) => INTERNALS.has(name) || mayUseField(caller, collection, name, 'read'),
      );
      const found = sorted(find(caller, collection, filter), keys);
      if (isCount) return { statuses: [200], totalCount: found.length };
      const shown = found.slice((page - 1) * count, page * count);
      const results = shown.map((document) => present(caller, collection, document, options));
      return { statuses: [200], results, totalCount: found.length };
    },

    get(caller: ModelCaller, collection: ModelCollection, { id, options }: RequestOf<'get'>): Expected {
      if (!decide(caller, collection, 'read').isAddressed)
        return { statuses: [rejectionOf(caller, collection.specification)] };
      const document = readable(caller, collection, id);
      if (document === undefined) return { statuses: [404] };
      return { statuses: [200], results: [present(caller, collection, document, options)], totalCount: 1 };
    },

    history(caller: ModelCaller, collection: ModelCollection, { id }: RequestOf<'history'>): Expected {
      const read = decide(caller, collection, 'read');
      const right = decide(caller, collection, 'history');
      if (!read.isAddressed || !right.isAddressed)
        return { statuses: [rejectionOf(caller, collection.specification)] };
      const state = collection.documents.get(id) ?? collection.revisions.get(id)?.at(-1)?.state;
      if (state === undefined || !read.allows(state)) return { statuses: [404] };
      if (!right.allows(state)) return { statuses: [rejectionOf(caller, collection.specification)] };
      const results = visibleRevisions(caller, collection, id);
      return { statuses: [200], results, totalCount: results.length };
    },

    stats(caller: ModelCaller, collection: ModelCollection): Expected {
      if (decide(caller, collection, 'read').isUnconditional)
        return { statuses: [200], totalCount: collection.documents.size };
      return { statuses: [rejectionOf(caller, collection.specification)] };
    },
  };
}

export type Reads = ReturnType<typeof createReads>;
