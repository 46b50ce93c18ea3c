// Kinds of queries: those of one kind differ only in the values that they ask for, and cost about the same.
import type { Filter, Test } from '../../filter.ts';
import type { FindQuery, Namespace } from '../../ports.ts';
import type { Lane } from '../connection/lanes.ts';
import type { KnownIndex } from '../connection/types.ts';

/** Passing over more documents, or asking for more by their ids, is not taken to be quick before that has been seen. */
const SHORT_SKIP = 1000;
const FEW_IDS = 100;

/**
 * A query that took no longer is quick, in milliseconds: many of them run side by side. Where an index leads to the matches
 * only much more tells that it does not help, as anything takes long while the machine is busy; and the first documents
 * in the order of an index are never many.
 */
const QUICK_MS = { scan: 100, matches: 1000, first: Number.POSITIVE_INFINITY };

/** Longer kinds are not told apart from what is unknown. */
const MOST_CHARACTERS = 1024;

export interface Kind {
  /** The collection. */
  readonly space: string;
  /** Undefined where it is too long to be remembered. */
  readonly key: string | undefined;
  /** Documents of the answer at most. */
  readonly limit: number;
  /** The lane as far as the query itself tells: `query` where an index leads to the matches. */
  readonly lane: Extract<Lane, 'lookup' | 'query' | 'count' | 'scan'>;
  /** Milliseconds within which it counts as quick. */
  readonly quickMs: number;
}

const spaceOf = ({ database, collection }: Namespace) => `${database ?? ''}.${collection}`;

/** What the server keeps of its own, such as its clients: small, and wanted by every login. */
const isOwn = ({ collection }: Namespace) => collection.startsWith('cloister.');

/** The kind of a query for documents. */
export function kindOfFind(ns: Namespace, query: FindQuery, known: readonly KnownIndex[]): Kind {
  const { filter, sort, skip, limit, projection } = query;
  const space = spaceOf(ns);
  const ids = idsOf(filter);
  if (ids <= FEW_IDS) return { ...lookupOf(space), key: `${space} ${magnitude(ids)}`, limit };
  const quickMs = skip <= SHORT_SKIP ? quickness(query, known) : QUICK_MS.scan;
  const isServed = quickMs > QUICK_MS.scan;
  if (isServed && isOwn(ns)) return { ...lookupOf(space), limit };
  const key = keyOf(space, [shapeOf(filter), sort, magnitude(skip), limit, projection]);
  return { space, key, limit, quickMs, lane: isServed ? 'query' : 'scan' };
}

/** The kind of a count. */
export function kindOfCount(ns: Namespace, filter: Filter, known: readonly KnownIndex[]): Kind {
  const space = spaceOf(ns);
  const quickMs = QUICK_MS.scan;
  if (isEverything(filter)) return { space, key: `${space} all`, limit: 0, lane: 'count', quickMs };
  if (idsOf(filter) <= FEW_IDS) return lookupOf(space);
  const key = keyOf(space, ['count', shapeOf(filter)]);
  return hasIndex(filter, known)
    ? { space, key, limit: 0, lane: 'query', quickMs: QUICK_MS.matches }
    : { space, key, limit: 0, lane: 'scan', quickMs };
}

const lookupOf = (space: string): Kind => ({
  ...{ space, key: undefined, limit: 0, lane: 'lookup' },
  quickMs: QUICK_MS.first,
});

/** Within what time a query is quick: the more it is helped by an index, the longer that is. */
function quickness({ filter, sort }: FindQuery, known: readonly KnownIndex[]): number {
  if (hasIndex(filter, known)) return QUICK_MS.matches;
  const [path] = sort[0] ?? ['_id'];
  return isEverything(filter) && leads(path, known) ? QUICK_MS.first : QUICK_MS.scan;
}

function keyOf(space: string, parts: readonly unknown[]): string | undefined {
  const key = `${space} ${JSON.stringify(parts)}`;
  return key.length > MOST_CHARACTERS ? undefined : key;
}

const isEverything = (filter: Filter) => filter.kind === 'and' && filter.filters.length === 0;

/** The tests that every match passes, each with its path. */
function* demands(filter: Filter): Generator<readonly [path: string, test: Test]> {
  if (filter.kind === 'field') for (const test of filter.tests) yield [filter.path, test];
  else if (filter.kind === 'and') for (const part of filter.filters) yield* demands(part);
}

/** How many documents match at most, as far as their ids tell. */
function idsOf(filter: Filter): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [path, test] of demands(filter)) {
    if (path !== '_id') continue;
    if (test.kind === 'eq') least = Math.min(least, 1);
    if (test.kind === 'in') least = Math.min(least, test.values.length);
  }
  return least;
}

/** True where ids or an index begin with the path. */
function leads(path: string, known: readonly KnownIndex[]): boolean {
  return path === '_id' || known.some(({ definition }) => definition.keys[0]?.path === path);
}

/** Whether an index leads to the matches. */
function hasIndex(filter: Filter, known: readonly KnownIndex[]): boolean {
  for (const [path, { kind }] of demands(filter)) {
    if ((kind === 'eq' || kind === 'in') && leads(path, known)) return true;
  }
  return false;
}

const magnitude = (count: number) => Math.ceil(Math.log2(count + 1));

function shapeOf(filter: Filter): unknown {
  if (filter.kind === 'field') return [filter.path, ...filter.tests.map(shapeOfTest)];
  return [filter.kind, filter.filters.map(shapeOf)];
}

function shapeOfTest(test: Test): unknown {
  switch (test.kind) {
    // One pattern says nothing of another.
    case 'regex':
      return [test.kind, test.pattern, test.flags];
    case 'in':
    case 'nin':
    case 'all':
      return [test.kind, magnitude(test.values.length)];
    case 'not':
    case 'elemMatchValue':
      return [test.kind, test.tests.map(shapeOfTest)];
    case 'elemMatch':
      return [test.kind, shapeOf(test.filter)];
    default:
      return test.kind;
  }
}
