// Reading the revisions of documents: in the place of their ids, or as a list of their own.
import type { Json, JsonObject } from '../lib/json.ts';
import { mapInSlices } from '../lib/slices.ts';
import { parseStored } from '../lib/stored-json.ts';
import type { Filter } from '../stores/filter.ts';
import type { DocumentStore, Projection } from '../stores/ports.ts';
import type { Collection, Field, FieldType } from './collection.ts';
import type { Context } from './documents.ts';
import { revisionSpace } from './revision-space.ts';
import { historyOf } from './writes/states.ts';

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

/** The collection of the revisions: its documents have two fields more, and come oldest first. */
export function revisionView(collection: Collection): Collection {
  const own = [plainField('originalDocumentId', 'ObjectID'), plainField('action', 'String')];
  const fields = new Map([...collection.fields, ...own]);
  const settings = { ...collection.settings, sort: 'v', sortOrder: 1 as const };
  return { ...collection, fields, settings, namespace: revisionSpace(collection) };
}

/** The revisions of one document. */
export function revisionsOf(id: string): Filter {
  return { kind: 'field', path: 'originalDocumentId', tests: [{ kind: 'eq', value: id }] };
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
  const revisions = ids.size === 0 ? new Map() : await fetchRevisions(collection, ids, options, context);
  return documents.map((document) => {
    if (!Object.hasOwn(document, 'history')) return document;
    const history = historyOf(document).flatMap((id): Json[] => {
      const revision = revisions.get(id);
      if (revision !== undefined) return [revision];
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
): Promise<ReadonlyMap<Json, Json>> {
  const named: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'in', values: [...ids] }] };
  const both: Filter = { kind: 'and', filters: [named, filter] };
  const query = { filter: both, sort: [], skip: 0, limit: ids.size, ...(projection && { projection }) };
  const texts = await store.findText(revisionSpace(collection), query, { deadline });
  const entries = await mapInSlices(texts, (text): [Json, Json] => {
    const { _id = null, ...rest } = parseStored(text);
    return [_id, hideId ? rest : { ...rest, _id }];
  });
  return new Map(entries);
}
