// The `metadata` of answers: where a page lies among all matches.
import type { JsonObject } from '../../lib/json/json.ts';
import type { CountResult, Metadata } from '../model/documents.ts';

/** What is known of a page before the matches are counted. */
export interface PageInfo {
  readonly limit: number;
  readonly page: number;
  readonly offset: number;
  readonly fields: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly historyFilters?: JsonObject;
}

/** Metadata of a list. A page past the end has neither a next nor a previous one. */
export function pageMetadata(facts: PageInfo, totalCount: number): Metadata {
  const { limit, page, fields, sort, historyFilters, offset } = facts;
  const totalPages = Math.ceil(totalCount / limit);
  return {
    limit,
    page,
    fields,
    ...(sort === undefined ? {} : { sort }),
    ...(historyFilters === undefined ? {} : { historyFilters }),
    offset,
    totalCount,
    totalPages,
    ...(page < totalPages ? { nextPage: page + 1 } : {}),
    ...(page > 1 && page <= totalPages ? { prevPage: page - 1 } : {}),
  };
}

/** Metadata of an update: all documents are on one page. */
export function writeMetadata(totalCount: number): Metadata {
  return { page: 1, offset: 0, totalCount, totalPages: totalCount === 0 ? 0 : 1 };
}

/** Metadata of a bare count. */
export function countMetadata(limit: number, totalCount: number): CountResult {
  return { metadata: { limit, totalCount, totalPages: Math.ceil(totalCount / limit) } };
}
