// Writes, as they must end: what is refused and how, what is stored, and what of it the answer shows.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { decide, rejectionOf } from './decisions.ts';
import type { Reads } from './reads.ts';
import type { RequestOf } from './requests.ts';
import { type Change, closedFields, createSubDocuments, stateAfter } from './sub-documents.ts';
import { readable, show } from './views.ts';
import type { Collections, Expected, ModelCaller, ModelCollection, ModelDocument } from './world.ts';

const only = (...statuses: readonly number[]): Expected => ({ statuses: [...new Set(statuses)] });

/** Carries writes out. `newId` makes the ids of new documents. */
export function createWrites(collections: Collections, reads: Reads, newId: () => string) {
  const resolveSubDocuments = createSubDocuments(collections, newId);

  const record = (
    collection: ModelCollection,
    action: 'create' | 'update' | 'delete',
    state: ModelDocument,
  ) => {
    if (!collection.specification.storeRevisions) return;
    const revisions = collection.revisions.get(state._id) ?? [];
    collection.revisions.set(state._id, [...revisions, { action, state }]);
  };

  const commit = (changes: readonly Change[]) => {
    for (const { collection, before, after } of changes) {
      collection.documents.set(after._id, after);
      record(collection, before === undefined ? 'create' : 'update', after);
    }
  };

  const remove = (collection: ModelCollection, document: ModelDocument) => {
    collection.documents.delete(document._id);
    record(collection, 'delete', document);
  };

  /** Of a document that the caller may not read its id. */
  const answerWith = (
    caller: ModelCaller,
    collection: ModelCollection,
    ids: readonly string[],
    levels: number,
  ): Expected => {
    const results = ids.map((id): JsonObject => {
      const document = readable(caller, collection, id);
      if (document === undefined) return { _id: id };
      return show({ collections, caller, above: [] }, collection, document, levels);
    });
    return { statuses: [200], results };
  };

  /** 404 for what the caller may not read, else what it is told where it may not. */
  const hiddenOr = (caller: ModelCaller, collection: ModelCollection, document: ModelDocument): number =>
    decide(caller, collection, 'read').allows(document) ? rejectionOf(caller, collection.specification) : 404;

  /** A caller that may not read the document knows no state of it: none that it names is the one that it is in. */
  const isStale = (
    caller: ModelCaller,
    collection: ModelCollection,
    { document, ifMatch }: { readonly document: ModelDocument; readonly ifMatch: number | undefined },
  ) => ifMatch !== undefined && ifMatch !== readable(caller, collection, document._id)?.v;

  function create(
    caller: ModelCaller,
    collection: ModelCollection,
    { bodies }: RequestOf<'create'>,
  ): Expected {
    const right = decide(caller, collection, 'create');
    const rejection = rejectionOf(caller, collection.specification);
    if (!right.isAddressed) return only(rejection);
    const rejections: number[] = [];
    const changes: Change[] = [];
    const created: string[] = [];
    let levels = 0;
    for (const body of bodies) {
      const resolved = resolveSubDocuments(caller, collection, body);
      const after = stateAfter(caller, undefined, resolved.body, newId);
      rejections.push(...resolved.rejections, ...closedFields(caller, collection, body, undefined));
      if (!right.allows(after)) rejections.push(rejection);
      changes.push(...resolved.changes, { collection, before: undefined, after });
      created.push(after._id);
      if (resolved.hasSubDocuments) levels = 1;
    }
    if (rejections.length > 0) return only(...rejections);
    commit(changes);
    return answerWith(caller, collection, created, levels);
  }

  function update(caller: ModelCaller, collection: ModelCollection, request: RequestOf<'update'>): Expected {
    const { id, body, ifMatch } = request;
    const right = decide(caller, collection, 'update');
    if (!right.isAddressed) return only(rejectionOf(caller, collection.specification));
    const before = collection.documents.get(id);
    const resolved = resolveSubDocuments(caller, collection, body);
    // What is wrong with the body alone may be said before the document is looked for.
    const fetched = readable(caller, collection, id);
    const ofBody = [...resolved.rejections, ...closedFields(caller, collection, body, fetched)];
    if (before === undefined) return only(404, ...ofBody);
    if (!right.allows(before)) return only(hiddenOr(caller, collection, before), ...ofBody);
    const after = stateAfter(caller, before, resolved.body, newId);
    const rejections = [
      ...ofBody,
      ...(isStale(caller, collection, { document: before, ifMatch }) ? [412] : []),
      ...(right.allows(after) ? [] : [hiddenOr(caller, collection, before)]),
    ];
    if (rejections.length > 0) return only(...rejections);
    commit([...resolved.changes, { collection, before, after }]);
    return answerWith(caller, collection, [id], resolved.hasSubDocuments ? 1 : 0);
  }

  /** A query finds what the caller may read, and the write affects what of it the rule allows. */
  const affected = (
    caller: ModelCaller,
    collection: ModelCollection,
    action: 'update' | 'delete',
    query: JsonObject,
  ) =>
    reads
      .find(caller, collection, query)
      .filter((document) => decide(caller, collection, action).allows(document));

  function updateMany(
    caller: ModelCaller,
    collection: ModelCollection,
    { query, update: body }: RequestOf<'updateMany'>,
  ): Expected {
    const right = decide(caller, collection, 'update');
    const rejection = rejectionOf(caller, collection.specification);
    if (!right.isAddressed) return only(rejection);
    const isKnown = reads.isKnown(caller, collection, query);
    const closed = closedFields(caller, collection, body, undefined);
    if (!isKnown) return only(400, ...closed);
    if (closed.length > 0) return only(...closed);
    const changes = affected(caller, collection, 'update', query).map((before) => ({
      collection,
      before,
      after: stateAfter(caller, before, body, newId),
    }));
    if (!changes.every(({ after }) => right.allows(after))) return only(rejection);
    commit(changes);
    const ids = changes.map(({ after }) => after._id).toSorted();
    return { ...answerWith(caller, collection, ids, 0), totalCount: ids.length };
  }

  function removeOne(
    caller: ModelCaller,
    collection: ModelCollection,
    { id, ifMatch }: RequestOf<'delete'>,
  ): Expected {
    const right = decide(caller, collection, 'delete');
    if (!right.isAddressed) return only(rejectionOf(caller, collection.specification));
    const document = collection.documents.get(id);
    if (document === undefined) return only(404);
    if (!right.allows(document)) return only(hiddenOr(caller, collection, document));
    if (isStale(caller, collection, { document, ifMatch })) return only(412);
    remove(collection, document);
    return only(204);
  }

  function removeMany(
    caller: ModelCaller,
    collection: ModelCollection,
    { query }: RequestOf<'deleteMany'>,
  ): Expected {
    if (!decide(caller, collection, 'delete').isAddressed)
      return only(rejectionOf(caller, collection.specification));
    if (!reads.isKnown(caller, collection, query)) return only(400);
    for (const document of affected(caller, collection, 'delete', query)) remove(collection, document);
    return only(204);
  }

  function restore(
    caller: ModelCaller,
    collection: ModelCollection,
    { id, revision }: RequestOf<'restore'>,
  ): Expected {
    const rejection = rejectionOf(caller, collection.specification);
    const [read, right, history, creation] = (['read', 'update', 'history', 'create'] as const).map(
      (action) => decide(caller, collection, action),
    );
    if (![read, right, history].every((decision) => decision?.isAddressed)) return only(rejection);
    const revisions = collection.revisions.get(id) ?? [];
    const before = collection.documents.get(id);
    const last = before ?? revisions.at(-1)?.state;
    const state = revisions[revision]?.state;
    if (last === undefined || !read!.allows(last)) return only(404);
    if (before === undefined && !creation!.isAddressed) return only(rejection, 404);
    if (!right!.allows(last) || !history!.allows(last)) return only(rejection);
    if (state === undefined || !read!.allows(state)) return only(404);
    const after: ModelDocument = { ...state, v: last.v + 1, lastModifiedBy: caller.clientId };
    const names = Object.keys({ ...last, ...after }).filter(
      (name) => !isDeepStrictEqual(last[name], after[name]),
    );
    const changed = Object.fromEntries(names.map((name) => [name, after[name] ?? null]));
    const closed = closedFields(caller, collection, changed, before);
    const isAllowed = right!.allows(after) && (before !== undefined || creation!.allows(after));
    if (closed.length > 0 || !isAllowed) return only(...closed, ...(isAllowed ? [] : [rejection]));
    commit([{ collection, before, after }]);
    return answerWith(caller, collection, [id], 0);
  }

  return { create, update, updateMany, removeOne, removeMany, restore };
}
