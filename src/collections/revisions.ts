// Reading the revisions of documents: in the place of their ids, or as a list of their own.
import type { Json, JsonObject } from '../lib/json.ts';
import { mapInSlices } from '../lib/slices.ts';
import { parseStored } from '../lib/stored-json.ts';
import type { Filter } from '../stores/filter.ts';
import type { DocumentStore, Projection } from '../stores/ports.ts';
import type { Collection, Field, FieldType } from './collection.ts';
import type { Context } from './documents.ts';
import { BLOCK, historyOf } from './history-blocks.ts';
import { type FieldMap, shows } from './reads/projection.ts';
import { revisionSpace } from './revision-space.ts';

const plainField = (name: string, type: FieldType): [string, Field] => [
  name,
  {
    name,
    type,
    required: false,
    message: undefined,
    default: undefined,
    validation: {},
    exact: true,
    reference: {},
  },
];

const OWN = { v: 1, action: 1 } as const;

/** True for limiters that list what to show; `_id` alone counts too. Contradictory ones fail where they are used. */
function includes({ _id, ...named }: FieldMap): boolean {
  const values = Object.values(named);
  return values.length === 0 ? _id === 1 : values.includes(1);
}

/** The collection of the revisions: its documents have two fields more, and come oldest first. */
export function revisionView(collection: Collection): Collection {
  const own = [plainField('originalDocumentId', 'ObjectID'), plainField('action', 'String')];
  const fields = new Map([...collection.fields, ...own]);
  const { fieldLimiters } = collection.settings;
  const settings = {
    ...collection.settings,
    sort: 'v',
    sortOrder: 1 as const,
    // Without these nobody could tell the revisions apart.
    fieldLimiters:
      fieldLimiters !== null && includes(fieldLimiters) ? { ...fieldLimiters, ...OWN } : fieldLimiters,
  };
  return { ...collection, fields, settings, namespace: revisionSpace(collection) };
}

const NONE: ReadonlyMap<Json, JsonObject> = new Map();

/**
 * Makes the function that tells which of `ids`, the revisions of one document, came before one of them: what it shows
 * as its own `history`. No more than the first block: a list of revisions would otherwise grow with its square.
 */
function earlierThan(ids: readonly Json[]): (id: Json | undefined) => readonly Json[] {
  const first = ids.slice(0, BLOCK);
  const at = new Map(first.map((id, index) => [id, index]));
  return (id) => first.slice(0, at.get(id ?? null) ?? BLOCK);
}

/** Revisions of one document, as JSON text with their `_id`: each with the ids of those before it, `first` at most. */
export function showEarlier(
  revisions: readonly string[],
  first: readonly Json[],
  hideId: boolean,
): Promise<readonly string[]> {
  const earlier = earlierThan(first);
  return mapInSlices(revisions, (text) => {
    const { _id, ...revision } = parseStored(text);
    const shown = { ...revision, ...(!hideId && _id !== undefined && { _id }) };
    return JSON.stringify(withHistory(shown, earlier(_id)));
  });
}

/** A revision as answers show it. */
function withHistory({ _id, ...revision }: JsonObject, history: readonly Json[]): JsonObject {
  return { ...revision, history, ...(_id !== undefined && { _id }) };
}

interface IncludeOptions {
  readonly store: Pick<DocumentStore, 'findText'>;
  /** How many revisions one answer holds. Ids beyond stay ids. */
  readonly limit: number;
  /** What the revisions must match. */
  readonly filter: Filter;
  /** Must show `_id`; `hideId` takes it out again. */
  readonly projection: Projection | undefined;
  readonly hideId: boolean;
}

/** Copies of `documents` with revisions, oldest first, in the place of their ids. */
export async function includeRevisions(
  collection: Collection,
  documents: readonly JsonObject[],
  options: IncludeOptions,
  context: Context,
): Promise<readonly JsonObject[]> {
  if (!collection.settings.storeRevisions) return documents.map((document) => ({ ...document, history: [] }));
  const ids = new Set(documents.flatMap(historyOf).slice(0, options.limit));
  const revisions = ids.size === 0 ? NONE : await fetchRevisions(collection, ids, options, context);
  const isShown = shows(options.projection, 'history');
  return documents.map((document) => {
    if (!Object.hasOwn(document, 'history')) return document;
    const earlier = earlierThan(historyOf(document));
    const history = historyOf(document).flatMap((id): Json[] => {
      const revision = revisions.get(id);
      if (revision !== undefined) return [isShown ? withHistory(revision, earlier(id)) : revision];
      return ids.has(id) ? [] : [id];
    });
    return { ...document, history };
  });
}

async function fetchRevisions(
  collection: Collection,
  ids: ReadonlySet<Json>,
  { store, filter, projection, hideId }: IncludeOptions,
  { deadline }: Context,
): Promise<ReadonlyMap<Json, JsonObject>> {
  const named: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'in', values: [...ids] }] };
  const both: Filter = { kind: 'and', filters: [named, filter] };
  const query = { filter: both, sort: [], skip: 0, limit: ids.size, ...(projection && { projection }) };
  const texts = await store.findText(revisionSpace(collection), query, { deadline });
  const entries = await mapInSlices(texts, (text): [Json, JsonObject] => {
    const { _id = null, ...rest } = parseStored(text);
    return [_id, hideId ? rest : { ...rest, _id }];
  });
  return new Map(entries);
}
