// The JSON Schemas (2020-12) of a collection's documents for one caller, made from the specification and from what the caller may do:
// as documents are read, created and changed, and of answers that hold them.
//
// They describe documents that were written under the present specification, by its rules. What the server does differs in two ways.
// It refuses what a schema accepts, where none can tell: days that no month has, rules of texts on numbers and on ids of sub-documents,
// patterns with flags, defaults that break the rules, lone surrogates, NUL in names, inexact integers, limits of depth, size and number,
// values of unique indexes, conditions of access rules, ids of no document, required fields that the caller may not write. And it
// takes what a schema refuses:
// - bodies of older clients (`{query, update}`, `{update}`), which are not described;
// - an update with values that break a rule, or are not declared, where the document holds the same: from an earlier specification, or
//   of another collection that shares the documents;
// - what only a hook makes valid. Where there are before-hooks nothing is required and other names may be sent, but values are
//   described as they are stored. Likewise what `afterGet` returns is not described.

import type { JsonObject } from '../../lib/json/json.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { type Collection, referenceFields } from '../model/collection.ts';
import { schemaNames } from './collection-key.ts';
import {
  collectionParts,
  type DescriptionContext,
  describedTarget,
  isUnderscored,
  namesIn,
} from './collection-parts.ts';
import { documentSchema, revisionSchema } from './read-schemas.ts';
import { changeSchema, creationSchema } from './write-schemas.ts';

const COUNT: JsonObject = { type: 'integer', minimum: 0 };
const NUMBER: JsonObject = { type: 'number', minimum: 0 };
const PAGE: JsonObject = { type: 'integer', minimum: 1 };

const PAGE_METADATA = 'page_metadata';
const COUNTS = 'document_count';
const STATS = 'document_stats';

const STATS_PROPERTIES: JsonObject = {
  count: { ...COUNT, description: 'Documents.' },
  size: { ...NUMBER, description: 'Bytes of all documents.' },
  averageObjectSize: { ...NUMBER, description: 'Bytes of one document on average.' },
  storageSize: { ...NUMBER, description: 'Bytes that the documents take in the store.' },
  indexes: { ...COUNT, description: 'Number of indexes.' },
  totalIndexSize: { ...NUMBER, description: 'Bytes of all indexes.' },
  indexSizes: {
    type: 'object',
    additionalProperties: NUMBER,
    description: 'Bytes of each index by its name.',
  },
};

/** Component schemas that all collections share. */
export const SHARED_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  [PAGE_METADATA]: objectOf(
    {
      limit: { ...PAGE, description: 'Documents on one page at the most. Absent after writes.' },
      page: { ...PAGE, description: 'Number of the page.' },
      offset: { ...COUNT, description: 'Documents before the first one of the page.' },
      totalCount: { ...COUNT, description: 'Documents on all pages.' },
      totalPages: { ...COUNT, description: 'Number of pages.' },
      nextPage: { ...PAGE, description: 'Absent on the last page.' },
      prevPage: { ...PAGE, description: 'Absent on the first page.' },
      fields: {
        type: 'object',
        additionalProperties: { enum: [0, 1] },
        description: 'The fields that are shown (1) or left out (0).',
      },
      sort: {
        type: 'object',
        additionalProperties: { enum: [1, -1] },
        description: 'The sort keys: 1 ascending, -1 descending.',
      },
      historyFilters: { type: 'object', description: 'The filter of the revisions that are included.' },
    },
    ['limit', 'nextPage', 'prevPage', 'fields', 'sort', 'historyFilters'],
  ),
  [COUNTS]: objectOf({ metadata: objectOf({ limit: PAGE, totalCount: COUNT, totalPages: COUNT }) }),
  [STATS]: objectOf(STATS_PROPERTIES),
};

/** A page of documents, or of revisions. */
function pageSchema(item: JsonObject): JsonObject {
  return objectOf({ results: listOf(item), metadata: ref(PAGE_METADATA) });
}

/** The answer of `/count`. */
const COUNT_SCHEMA = ref(COUNTS);

/** The answer of `/stats`. */
const STATS_SCHEMA = ref(STATS);

/** Schemas of a collection, most of them references to components. */
interface CollectionSchemas {
  readonly document: JsonObject;
  /** A document to create, or the form of an upload. Any object where the caller may create none. */
  readonly created: JsonObject;
  /** The fields to set. Any object where the caller may change none. */
  readonly changed: JsonObject;
  readonly page: JsonObject;
  readonly revisions: JsonObject;
  readonly count: JsonObject;
  readonly stats: JsonObject;
}

export interface DocumentSchemas {
  /** Component schemas by name. They refer to those of other collections that the caller may read or write. */
  readonly components: Readonly<Record<string, JsonObject>>;
  readonly schemas: CollectionSchemas;
}

/** The component schemas of a collection, with internals as the context says. */
function componentsOf(collection: Collection, context: DescriptionContext) {
  const names = namesIn(collection, collection, context);
  const parts = collectionParts(collection, context);
  return {
    [names.document]: documentSchema(collection, context),
    ...(parts.creation && { [names.creation]: creationSchema(collection, context) }),
    ...(parts.change && { [names.change]: changeSchema(collection, context) }),
    ...(parts.revision && { [names.revision]: revisionSchema(collection, context) }),
  };
}

/** The collections whose documents are composed into those of another, and that name internals in the other way themselves. */
function composedOtherwise(collection: Collection, context: DescriptionContext): ReadonlySet<Collection> {
  const underscored = isUnderscored(collection, context);
  const found = new Set<Collection>();
  const follow = (of: Collection): void => {
    for (const field of referenceFields(of)) {
      const target = describedTarget(of, field, context)?.target;
      if (target === undefined || target.settings.underscored === underscored || found.has(target)) continue;
      found.add(target);
      follow(target);
    }
  };
  follow(collection);
  return found;
}

const ANY_OBJECT: JsonObject = { type: 'object' };

/** Makes the schemas of a collection for the caller of the context. Every collection that the caller may use needs its own. */
export function createDocumentSchemas(collection: Collection, context: DescriptionContext): DocumentSchemas {
  const names = schemaNames(collection);
  const parts = collectionParts(collection, context);
  const named = { ...context, underscored: collection.settings.underscored };
  const composed = [...composedOtherwise(collection, context)].map((other) => componentsOf(other, named));
  const components: Record<string, JsonObject> = Object.assign(
    { ...SHARED_SCHEMAS, ...componentsOf(collection, context) },
    ...composed,
  );
  const document = ref(names.document);
  const schemas = {
    document,
    created: parts.creation ? ref(names.creation) : ANY_OBJECT,
    changed: parts.change ? ref(names.change) : ANY_OBJECT,
    page: pageSchema(document),
    revisions: pageSchema(parts.revision ? ref(names.revision) : ANY_OBJECT),
    count: COUNT_SCHEMA,
    stats: STATS_SCHEMA,
  };
  return { components, schemas };
}
