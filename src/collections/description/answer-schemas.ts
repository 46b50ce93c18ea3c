// The JSON Schemas of answers that hold documents, counts or figures of a collection.

import type { JsonObject } from '../../lib/json/json.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';

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
export function pageSchema(item: JsonObject): JsonObject {
  return objectOf({ results: listOf(item), metadata: ref(PAGE_METADATA) });
}

/** The answer of `/count`. */
export const COUNT_SCHEMA = ref(COUNTS);

/** The answer of `/stats`. */
export const STATS_SCHEMA = ref(STATS);
