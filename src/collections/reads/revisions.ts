// Reads the revisions of documents: in place of their ids, or as a list.
import { type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, filterByIds, MATCH_ALL } from '../../stores/filter.ts';
import type { Projection } from '../../stores/ports.ts';
import { type PermittedStore, permit, permitRevisions } from '../model/access.ts';
import { type Collection, type CollectionRegistry, createPlainField } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import { ownRevisionsFilter } from '../model/revision-owner.ts';
import {
  HIDDEN_REVISION_MEMBERS,
  HISTORY_BLOCK_SIZE,
  revisionIds,
  revisionNamespaceOf,
} from '../model/stored-document.ts';
import { type FieldMap, includesField } from './resolve-read.ts';

const REVISION_FIELDS = { v: 1, action: 1 } as const;

/** True for limiters that list what to show; `_id` alone counts too. Contradictory ones fail where they are used. */
function isInclusive({ _id, ...named }: FieldMap): boolean {
  const values = Object.values(named);
  return values.length === 0 ? _id === 1 : values.includes(1);
}

/** The collection of the revisions. Its documents have two more fields and are sorted oldest first. */
export function revisionView(collection: Collection): Collection {
  const fields = new Map(collection.fields)
    .set('originalDocumentId', createPlainField('originalDocumentId', 'ObjectID', true))
    .set('action', createPlainField('action', 'String', true));
  const { fieldLimiters } = collection.settings;
  const settings = {
    ...collection.settings,
    sort: 'v',
    sortOrder: 1 as const,
    // Always shown: they tell the revisions apart.
    fieldLimiters:
      fieldLimiters !== null && isInclusive(fieldLimiters)
        ? { ...fieldLimiters, ...REVISION_FIELDS }
        : fieldLimiters,
  };
  return { ...collection, fields, settings, namespace: revisionNamespaceOf(collection) };
}

const NONE: ReadonlyMap<Json, JsonObject> = new Map();

/**
 * Returns a function that gives the ids of `ids` (the revisions of one document) before one of them: the `history` of that
 * revision. At most the first block: a list of revisions would otherwise grow with its square.
 */
function createEarlierIds(ids: readonly Json[]): (id: Json | undefined) => readonly Json[] {
  const first = ids.slice(0, HISTORY_BLOCK_SIZE);
  const at = new Map(first.map((id, index) => [id, index]));
  return (id) => first.slice(0, at.get(id ?? null) ?? HISTORY_BLOCK_SIZE);
}

/** Adds the earlier ids to revisions of one document, given as JSON text with their `_id`. `first` are its first ids. */
export function withEarlierIds(
  revisions: readonly string[],
  first: readonly Json[],
  hideId: boolean,
): MaybePromise<readonly string[]> {
  const earlier = createEarlierIds(first);
  return mapYielding(revisions, (text) => {
    const { _id, ...revision } = parseStoredJson(text);
    const shown = { ...revision, ...(!hideId && _id !== undefined && { _id }) };
    return JSON.stringify(withHistory(shown, earlier(_id)));
  });
}

/** The projection of revisions, whose answers do not show what the server keeps in them for itself. */
export function withoutOwnMembers(projection: Projection | undefined): Projection {
  return { ...projection, exclude: [...(projection?.exclude ?? []), ...HIDDEN_REVISION_MEMBERS] };
}

/** A revision as responses show it. */
function withHistory({ _id, ...revision }: JsonObject, history: readonly Json[]): JsonObject {
  return { ...revision, history, ...(_id !== undefined && { _id }) };
}

interface IncludeOptions {
  readonly store: Pick<PermittedStore, 'findText'>;
  readonly registry: Pick<CollectionRegistry, 'list'>;
  /** How many revisions one response holds. Further ids stay ids. */
  readonly limit: number;
  /** What the revisions must match. */
  readonly filter: Filter;
  /** Must show `_id`; `hideId` takes it out again. */
  readonly projection: Projection | undefined;
  readonly hideId: boolean;
}

/** Copies of `documents` with revisions, oldest first, in place of their ids. */
export async function includeRevisions(
  collection: Collection,
  documents: readonly JsonObject[],
  options: IncludeOptions,
  context: RequestContext,
): Promise<readonly JsonObject[]> {
  if (!collection.settings.storeRevisions) return documents.map((document) => ({ ...document, history: [] }));
  const mayRead = await findReadable(collection, documents, options, context);
  const ids = new Set(documents.filter(mayRead).flatMap(revisionIds).slice(0, options.limit));
  const revisions = ids.size === 0 ? NONE : await fetchRevisions(collection, ids, options, context);
  const isShown = includesField(options.projection, 'history');
  return documents.map((document) => {
    if (!Object.hasOwn(document, 'history') || !mayRead(document)) return document;
    const earlier = createEarlierIds(revisionIds(document));
    const history = revisionIds(document).flatMap((id): Json[] => {
      const revision = revisions.get(id);
      if (revision !== undefined) return [isShown ? withHistory(revision, earlier(id)) : revision];
      return ids.has(id) ? [] : [id];
    });
    return { ...document, history };
  });
}

/** Whether the caller may read the revisions of a document, which must have its `_id`. */
async function findReadable(
  collection: Collection,
  documents: readonly JsonObject[],
  { store }: Pick<IncludeOptions, 'store'>,
  { caller, deadline }: RequestContext,
): Promise<(document: JsonObject) => boolean> {
  const access = caller.access(collection);
  if (access.history === MATCH_ALL) return () => true;
  const ids = documents.flatMap(({ _id = null }) => [_id]);
  const filter = permit(access, 'history', filterByIds(ids));
  const query = { filter, sort: [], skip: 0, limit: ids.length, projection: { include: ['_id'] } };
  const texts = ids.length === 0 ? [] : await store.findText(collection.namespace, query, { deadline });
  const readable = new Set(texts.map((text) => parseStoredJson(text)['_id']));
  return ({ _id }) => readable.has(_id);
}

async function fetchRevisions(
  collection: Collection,
  ids: ReadonlySet<Json>,
  { store, registry, filter, projection, hideId }: IncludeOptions,
  { caller, deadline }: RequestContext,
): Promise<ReadonlyMap<Json, JsonObject>> {
  const own = ownRevisionsFilter(collection, registry);
  const wanted: Filter = { kind: 'and', filters: [filterByIds([...ids]), own, filter] };
  const all = permitRevisions(caller.access(collection), 'read', wanted);
  const query = {
    filter: all,
    sort: [],
    skip: 0,
    limit: ids.size,
    projection: withoutOwnMembers(projection),
  };
  const texts = await store.findText(revisionNamespaceOf(collection), query, { deadline });
  const entries = await mapYielding(texts, (text): [Json, JsonObject] => {
    const { _id = null, ...rest } = parseStoredJson(text);
    return [_id, hideId ? rest : { ...rest, _id }];
  });
  return new Map(entries);
}
