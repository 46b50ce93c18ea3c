// Reads one page of documents as JSON texts. Short pages are read concurrently, long ones few at a time and only while memory
// allows.

import { setTimeout as delay } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { FindQuery, Namespace, OperationOptions } from '../../ports.ts';
import { bsonToJson } from '../bson/bson-conversion.ts';
import { JsonOutput } from '../bson/json-output.ts';
import { retryRead } from '../connection/errors.ts';
import type { OperationClass } from '../connection/operation-slots.ts';
import type { IndexCache, KnownIndex, MongoConnection, OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import { maxShortPageBytes, type QueryCosts, type QueryShape, shapeOfFind } from './query-costs.ts';
import { type FindRequest, forEachDocument } from './read-command.ts';
import { serverProjection, serverSort } from './sort-and-projection.ts';

/** A query with everything needed to run it. */
export interface PageQuery {
  readonly ns: Namespace;
  readonly query: FindQuery;
  readonly known: readonly KnownIndex[];
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
interface PageTexts {
  readonly texts: string[];
  /** Bytes of the documents so far. */
  readonly bytes: () => number;
  /** Throws `too-much` when the texts are too long in total, and LongPageError beyond the given number of bytes. */
  add(bytes: Uint8Array): void;
}

const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Initial bytes for the JSON text of one document. */
const OUTPUT_BYTES = 2048;

/** Thrown when a page is longer than its operation class allows. It also ends the query on the server. */
class LongPageError extends Error {}

/** Collects texts of documents with `maxBytes` bytes together. One document alone may have more. */
export function createPageTexts(maxBytes: number = Number.POSITIVE_INFINITY): PageTexts {
  const texts: string[] = [];
  const output = new JsonOutput(OUTPUT_BYTES);
  let characters = 0;
  let total = 0;
  return {
    texts,
    bytes: () => total,
    add(bytes) {
      total += bytes.length;
      if (total > maxBytes && texts.length > 0) throw new LongPageError();
      const text = bsonToJson(bytes, output);
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

/** Interval of checking for free memory, in milliseconds: nothing reports when clients have read their responses. */
const MEMORY_POLL_MS = 20;

interface PageReaderDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly indexes: IndexCache;
  /** Whether memory allows reading a page of so many bytes now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly costs: QueryCosts;
  readonly findPage: (
    scope: OperationScope,
    request: PageRequest & Pick<PageQuery, 'collect'>,
  ) => Promise<FoundPage>;
}

type PageRequest = Pick<PageQuery, 'ns' | 'query' | 'known'>;

/** Result of one attempt: the page, or undefined if it is a long one and must be read again as such. */
interface PageAttempt {
  readonly page: FoundPage | undefined;
  readonly deadline: number;
}

const longPageClass = (): OperationClass => 'page';

/** Creates the function that reads a page once its operation class has a slot. */
export function createPageReader({ connection, indexes, hasMemoryFor, costs, findPage }: PageReaderDeps) {
  /** Resolves once there is memory for so many bytes. The scope ends the wait at the deadline. */
  const untilMemory = async (scope: OperationScope, bytes: number): Promise<void> => {
    for (; !hasMemoryFor(bytes); await delay(MEMORY_POLL_MS)) scope.remainingMs();
  };

  const read = async (
    scope: OperationScope,
    request: PageRequest,
    shape: QueryShape,
    maxBytes: number,
  ): Promise<FoundPage | undefined> => {
    let texts: PageTexts | undefined;
    const collect = () => {
      texts = createPageTexts(maxBytes);
      return texts;
    };
    const began = performance.now();
    try {
      return await retryRead(scope, () => findPage(scope, { ...request, collect }));
    } catch (error) {
      if (error instanceof LongPageError) return undefined;
      throw error;
    } finally {
      const [bytes, documents] = [texts?.bytes() ?? 0, texts?.texts.length ?? 0];
      costs.record(shape, { ms: performance.now() - began, bytes, documents });
    }
  };

  return async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    const known = indexes.of(ns);
    const shape = shapeOfFind(ns, query, known);
    const attempt = (bounds: OperationOptions, classOf: () => OperationClass): Promise<PageAttempt> =>
      connection.run({ ...bounds, operationClass: classOf }, async (scope, operationClass) => {
        const deadline = Date.now() + (scope.remainingMs() ?? Number.POSITIVE_INFINITY);
        const isLong = operationClass === 'page';
        if (isLong) await untilMemory(scope, Math.max(maxShortPageBytes(shape), costs.expectedBytes(shape)));
        const maxBytes = isLong ? Number.POSITIVE_INFINITY : maxShortPageBytes(shape);
        return { deadline, page: await read(scope, { ns, query, known }, shape, maxBytes) };
      });
    const { page, deadline } = await attempt(options, () => costs.classOf(shape));
    // The short attempt keeps nothing: waiting pages must not hold the memory that they wait for.
    return page ?? ((await attempt({ deadline }, longPageClass)).page as FoundPage);
  };
}
