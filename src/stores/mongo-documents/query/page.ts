// Reads one page of documents as JSON texts.
import { ObjectId } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { FindQuery, Namespace } from '../../ports.ts';
import { bsonToJson } from '../bson/bson-to-json.ts';
import type { KnownIndex, OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import type { CollationStatistics } from './collation-statistics.ts';
import { type FindRequest, forEachDocument } from './cursor.ts';
import { serverProjection } from './projection.ts';
import { serverSort } from './sort.ts';
import type { SpellingCache } from './spelling-cache.ts';

/** A query with everything needed to run it. */
export interface PageQuery {
  readonly ns: Namespace;
  readonly query: FindQuery;
  readonly known: readonly KnownIndex[];
  readonly statistics: CollationStatistics;
  readonly spellingCache: SpellingCache;
  /** Creates the collector for the texts of the page. */
  readonly collect: () => PageTexts;
}

/** Texts as they were stored, and what is left to do with each. */
export interface FoundPage {
  readonly texts: readonly string[];
  readonly finish: ((document: JsonObject) => JsonObject) | undefined;
  /** Operation time of the answer, if the page came in one answer. */
  readonly time?: bigint | undefined;
}

/** Collector for the documents of a page. */
export interface PageTexts {
  readonly texts: string[];
  /** Bytes of the documents so far. */
  readonly bytes: () => number;
  /** Throws `too-much` when the texts are too long in total, and LongPageError beyond the given number of bytes. */
  add(bytes: Uint8Array): void;
}

const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Thrown when a page is longer than its operation class allows. It also ends the query on the server. */
export class LongPageError extends Error {}

/** Collects texts of documents with `maxBytes` bytes together. One document alone may have more. */
export function createPageTexts(maxBytes: number = Number.POSITIVE_INFINITY): PageTexts {
  const texts: string[] = [];
  let characters = 0;
  let total = 0;
  return {
    texts,
    bytes: () => total,
    add(bytes) {
      total += bytes.length;
      if (total > maxBytes && texts.length > 0) throw new LongPageError();
      const text = bsonToJson(bytes);
      characters += text.length;
      if (characters > MAX_CHARACTERS) throw tooMuchError(text);
      texts.push(text);
    },
  };
}

function tooMuchError(text: string): StoreError {
  if (text.length <= MAX_CHARACTERS) return new StoreError('too-much');
  const id = /"_id":(?:"([^"]{1,100})"|(-?[\d.]+))\}$/.exec(text.slice(-120));
  const name = id === null ? 'One of the documents' : `The document ${id[1] ?? id[2]}`;
  const explanation = `${name} has more than ${MAX_CHARACTERS} characters as JSON, and can only be read in part: request for fewer fields`;
  return new StoreError('too-much', { explanation });
}

/** Collects the texts of the documents that the server finds. Rejects with the errors of `add`. */
export async function readTexts(
  scope: OperationScope,
  request: FindRequest,
  { texts, add }: PageTexts,
): Promise<Omit<FoundPage, 'finish'>> {
  const time = await forEachDocument(scope, request, (bytes) => {
    add(bytes);
    return true;
  });
  return { texts, time };
}

/** Reads a page that the server can filter and sort exactly. */
export async function findPlain(
  scope: OperationScope,
  { ns, query, known, collect }: PageQuery,
  translated: TranslatedFilter,
): Promise<FoundPage> {
  const { sort, skip, limit, projection } = query;
  const { fields, finish } = serverProjection(projection);
  const order = isOneId(translated) ? undefined : serverSort(sort, known);
  const request = {
    ns,
    query: translated.query,
    skip,
    limit,
    fields,
    ...(order === undefined ? {} : { sort: order }),
  };
  return { ...(await readTexts(scope, request, collect())), finish };
}

/** One document at maxBytes needs no order, and is found on the server's shortest way without. */
function isOneId({ query }: TranslatedFilter): boolean {
  return Object.keys(query).length === 1 && query['_id'] instanceof ObjectId;
}
