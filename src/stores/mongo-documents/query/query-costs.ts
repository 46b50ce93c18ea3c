// Costs of earlier queries by shape: queries of one shape differ only in their values and cost about the same. They choose the
// operation class of the next one and never affect results.

import { LRUCache } from 'lru-cache';
import type { Filter, FilterTest } from '../../filter.ts';
import type { FindQuery, Namespace } from '../../ports.ts';
import type { OperationClass } from '../connection/operation-slots.ts';
import type { KnownIndex } from '../connection/types.ts';

/** Passing over more documents, or asking for more by their ids, is not taken to be quick before that has been seen. */
const MAX_FAST_SKIP = 1000;
const MAX_FAST_IDS = 100;

/**
 * A query that took no longer is quick, in milliseconds: many of them run side by side. Where an index leads to the matches
 * only much more tells that it does not help, as anything takes long while the machine is busy; and the first documents
 * in the order of an index are never many.
 */
const FAST_MS = { scan: 100, matches: 1000, first: Number.POSITIVE_INFINITY };

/** Queries with a longer key have no statistics. */
const MAX_KEY_CHARACTERS = 1024;

export interface QueryShape {
  /** The collection. */
  readonly namespace: string;
  /** Undefined if it is too long to be stored. */
  readonly key: string | undefined;
  /** Documents of the answer at most. */
  readonly limit: number;
  /** The operation class as far as the query tells: `query` if an index leads to the matches. */
  readonly operationClass: Extract<OperationClass, 'lookup' | 'query' | 'count' | 'scan'>;
  /** Milliseconds within which it counts as quick. */
  readonly fastMs: number;
}

const shapeNamespace = ({ database, collection }: Namespace) => `${database ?? ''}.${collection}`;

/** Reserved collections, such as the clients: small, and read by every login. */
const isReserved = ({ collection }: Namespace) => collection.startsWith('cloister.');

/** The shape of a query for documents. */
export function shapeOfFind(ns: Namespace, query: FindQuery, known: readonly KnownIndex[]): QueryShape {
  const { filter, sort, skip, limit, projection } = query;
  const space = shapeNamespace(ns);
  const ids = maxMatchesById(filter);
  if (ids <= MAX_FAST_IDS) return { ...lookupShape(space), key: `${space} ${magnitude(ids)}`, limit };
  const quickMs = skip <= MAX_FAST_SKIP ? fastLimit(query, known) : FAST_MS.scan;
  const isServed = quickMs > FAST_MS.scan;
  if (isServed && isReserved(ns)) return { ...lookupShape(space), limit };
  const key = keyOf(space, [filterShape(filter), sort, magnitude(skip), limit, projection]);
  return { namespace: space, key, limit, fastMs: quickMs, operationClass: isServed ? 'query' : 'scan' };
}

/** The shape of a count. */
export function shapeOfCount(ns: Namespace, filter: Filter, known: readonly KnownIndex[]): QueryShape {
  const space = shapeNamespace(ns);
  const quickMs = FAST_MS.scan;
  if (isEverything(filter))
    return { namespace: space, key: `${space} all`, limit: 0, operationClass: 'count', fastMs: quickMs };
  if (maxMatchesById(filter) <= MAX_FAST_IDS) return lookupShape(space);
  const key = keyOf(space, ['count', filterShape(filter)]);
  return isIndexed(filter, known)
    ? { namespace: space, key, limit: 0, operationClass: 'query', fastMs: FAST_MS.matches }
    : { namespace: space, key, limit: 0, operationClass: 'scan', fastMs: quickMs };
}

const lookupShape = (space: string): QueryShape => ({
  namespace: space,
  key: undefined,
  limit: 0,
  operationClass: 'lookup',
  fastMs: FAST_MS.first,
});

/** The time within which a query counts as fast: the more an index helps, the longer. */
function fastLimit({ filter, sort }: FindQuery, known: readonly KnownIndex[]): number {
  if (isIndexed(filter, known)) return FAST_MS.matches;
  const [path] = sort[0] ?? ['_id'];
  return isEverything(filter) && isLeadingPath(path, known) ? FAST_MS.first : FAST_MS.scan;
}

function keyOf(space: string, parts: readonly unknown[]): string | undefined {
  const key = `${space} ${JSON.stringify(parts)}`;
  return key.length > MAX_KEY_CHARACTERS ? undefined : key;
}

function filterShape(filter: Filter): unknown {
  if (filter.kind === 'field') return [filter.path, ...filter.tests.map(testShape)];
  return [filter.kind, filter.filters.map(filterShape)];
}

function testShape(test: FilterTest): unknown {
  if ('values' in test) return [test.kind, magnitude(test.values.length)];
  if ('tests' in test) return [test.kind, test.tests.map(testShape)];
  if (test.kind === 'elemMatch') return [test.kind, filterShape(test.filter)];
  // Different patterns have different costs.
  return test.kind === 'regex' ? [test.kind, test.pattern, test.flags] : test.kind;
}

const isEverything = (filter: Filter) => filter.kind === 'and' && filter.filters.length === 0;

/** The tests that every match passes, each with its path. */
function* requiredTests(filter: Filter): Generator<readonly [path: string, test: FilterTest]> {
  if (filter.kind === 'field') for (const test of filter.tests) yield [filter.path, test];
  else if (filter.kind === 'and') for (const part of filter.filters) yield* requiredTests(part);
}

/** Upper bound of the number of matches, from tests of `_id`. */
function maxMatchesById(filter: Filter): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const [path, test] of requiredTests(filter)) {
    if (path !== '_id') continue;
    if (test.kind === 'eq') lowest = Math.min(lowest, 1);
    if (test.kind === 'in') lowest = Math.min(lowest, test.values.length);
  }
  return lowest;
}

/** True where ids or an index begin with the path. */
function isLeadingPath(path: string, known: readonly KnownIndex[]): boolean {
  return path === '_id' || known.some(({ definition }) => definition.keys[0]?.path === path);
}

/** Whether an index leads to the matches. */
function isIndexed(filter: Filter, known: readonly KnownIndex[]): boolean {
  for (const [path, { kind }] of requiredTests(filter)) {
    if ((kind === 'eq' || kind === 'in') && isLeadingPath(path, known)) return true;
  }
  return false;
}

const magnitude = (count: number) => Math.ceil(Math.log2(count + 1));

/** Bytes of a short page, which is read beside many others. */
const MAX_SHORT_PAGE_BYTES = 1_048_576;
/** The same for one document: how long it is, is known when it is there. */
const MAX_SHORT_DOCUMENT_BYTES = 4 * MAX_SHORT_PAGE_BYTES;

const MAX_SHAPES = 5000;

/** What one query took. */
interface QueryCost {
  readonly ms: number;
  /** Bytes of the documents, and how many there were. */
  readonly bytes: number;
  readonly documents: number;
}

/** Bytes up to which an answer of this shape is no long page. */
export function maxShortPageBytes({ operationClass }: QueryShape): number {
  return operationClass === 'lookup' ? MAX_SHORT_DOCUMENT_BYTES : MAX_SHORT_PAGE_BYTES;
}

export interface QueryCosts {
  /** The operation class of a query of this shape. */
  classOf(shape: QueryShape): OperationClass;
  /** How many bytes the documents of its answer are expected to have. */
  expectedBytes(shape: QueryShape): number;
  /** Whether so many documents would be a short page, as far as documents of the collection were seen. */
  areShort(ns: Namespace, documents: number): boolean;
  record(shape: QueryShape, cost: QueryCost): void;
}

/** What was costly counts as cheap only after it was cheap several times. */
function blend(known: number, seen: number): number {
  return Math.max(seen, known / 2);
}

/** Creates empty statistics. */
export function createQueryCosts(): QueryCosts {
  const costs = new LRUCache<string, Pick<QueryCost, 'ms' | 'bytes'>>({ max: MAX_SHAPES });
  /** Bytes of a document, by collection. */
  const sizes = new LRUCache<string, number>({ max: MAX_SHAPES });
  const known = ({ key }: QueryShape) => (key === undefined ? undefined : costs.get(key));
  const areShort = (space: string, documents: number) =>
    (sizes.get(space) ?? MAX_SHORT_PAGE_BYTES) * documents <= MAX_SHORT_PAGE_BYTES;

  return {
    classOf(shape) {
      const cost = known(shape);
      switch (shape.operationClass) {
        case 'lookup':
          return cost !== undefined && cost.bytes > maxShortPageBytes(shape) ? 'page' : 'lookup';
        case 'count':
          return cost !== undefined && cost.ms <= shape.fastMs ? 'query' : 'count';
        default:
          if (cost === undefined)
            return areShort(shape.namespace, shape.limit) ? shape.operationClass : 'scan';
          if (cost.bytes > maxShortPageBytes(shape)) return 'page';
          return cost.ms > shape.fastMs ? 'scan' : 'query';
      }
    },
    expectedBytes: (shape) => known(shape)?.bytes ?? 0,
    areShort: (ns, documents) => areShort(shapeNamespace(ns), documents),
    record(shape, { ms, bytes, documents }) {
      const { key, namespace: space } = shape;
      const before = known(shape) ?? { ms: 0, bytes: 0 };
      if (key !== undefined) costs.set(key, { ms: blend(before.ms, ms), bytes: blend(before.bytes, bytes) });
      if (documents > 0) sizes.set(space, blend(sizes.get(space) ?? 0, bytes / documents));
    },
  };
}
