// Which kinds of values that only other programs write there are at a path: dates, identifiers and the like, which are
// shown as text but compared by the server in ways of their own. Our own documents have none, and then nothing changes.
import { LRUCache } from 'lru-cache';
import { type Document, MongoServerError } from 'mongodb';
import type { Namespace } from '../../ports.ts';
import { namespaceKey } from '../connection/namespaces.ts';
import type { OperationScope } from '../connection/types.ts';
import { NON_JSON_TEXT_TYPES } from '../filters/value-conditions.ts';
import { runRead } from './read-command.ts';
import { isServerPath } from './sort.ts';

/** Groups of types that are asked for together. */
const TYPE_GROUPS = {
  /** All of the next two. */
  foreign: NON_JSON_TEXT_TYPES,
  dates: ['date'],
  /** Shown as text, and no dates. */
  others: NON_JSON_TEXT_TYPES.filter((type) => type !== 'date'),
  ids: ['objectId'],
  notIds: NON_JSON_TEXT_TYPES.filter((type) => type !== 'date' && type !== 'objectId'),
  /** Ours, which belong before or between those of the other groups. */
  own: ['string', 'object', 'bool'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type TypeGroup = keyof typeof TYPE_GROUPS;

/** How a sort by a path must be done: `merged` where dates and text alone are mixed there. */
type SortStrategy = 'plain' | 'merged' | 'evaluated';

export interface TypeProbe {
  /**
   * Whether a document has a value of the group at the path, in a list too. With `patienceMs`, a server that has found none
   * in so many milliseconds is taken to have what was last found there, else none.
   */
  has(scope: OperationScope, place: FieldPath, group: TypeGroup, timeoutMs?: number): Promise<boolean>;
  /** What the server's order of the values at a path is worth. */
  sortStrategyAt(scope: OperationScope, place: FieldPath): Promise<SortStrategy>;
}

interface FieldPath {
  readonly ns: Namespace;
  readonly path: string;
}

interface ProbeResult {
  readonly found: boolean;
  /** Milliseconds of the clock. */
  readonly expiresAt: number;
  /** Milliseconds for which it is believed in all. */
  readonly ttlMs: number;
  /** Milliseconds that a look takes. */
  readonly costMs: number;
  /** Present where the server found nothing in so many milliseconds, and came to no end. */
  readonly timeoutMs?: number | undefined;
}

interface ProbeRequest extends FieldPath {
  readonly group: TypeGroup;
  readonly timeoutMs: number | undefined;
}

/** Milliseconds that a read waits for a look at a path, where no index helps. */
export const PROBE_TIMEOUT_MS = 1000;

const MAX_RESULTS = 5000;
/** A look that takes less, in milliseconds, is repeated often; another after so many times as long as it took. */
const FAST_MS = 25;
const TTL_FACTOR = 100;
/** Bounds of the time for which the answer of a quick look is believed: doubled while it is asked for all the time. */
const TTL_MS = { first: 10, most: 1000 };
/** What was found is there for a while, and a look that came to no end is not begun again at once. */
const FOUND_TTL_MS = 10_000;

/** Knows nothing yet. `now` tells milliseconds. */
export function createTypeProbe(now: () => number): TypeProbe {
  const answers = new LRUCache<string, ProbeResult>({ max: MAX_RESULTS });
  const looks = new Map<string, Promise<boolean>>();

  const lookAgain = async (scope: OperationScope, asked: ProbeRequest, key: string): Promise<boolean> => {
    const { ns, path, group, timeoutMs } = asked;
    const began = now();
    const seen = await probe(scope, { ns, query: { [path]: { $type: TYPE_GROUPS[group] } } }, timeoutMs);
    if (seen === undefined) {
      const found = answers.get(key)?.found ?? false;
      const costMs = now() - began;
      answers.set(key, { found, expiresAt: now() + FOUND_TTL_MS, ttlMs: FOUND_TTL_MS, costMs, timeoutMs });
      return found;
    }
    const before = answers.get(key);
    const costMs = smoothedCost(now() - began, before);
    const keptMs = seen ? FOUND_TTL_MS : ttlFor(began, costMs, before);
    answers.set(key, { found: seen, expiresAt: now() + keptMs, ttlMs: keptMs, costMs });
    return seen;
  };

  const answerTo = async (scope: OperationScope, asked: ProbeRequest): Promise<boolean> => {
    const { ns, path, group, timeoutMs = Number.POSITIVE_INFINITY } = asked;
    const key = JSON.stringify([namespaceKey(ns), path, group]);
    const known = answers.get(key);
    const isEnough = (known?.timeoutMs ?? Number.POSITIVE_INFINITY) >= timeoutMs;
    if (known !== undefined && isEnough && now() < known.expiresAt) return known.found;
    const current = looks.get(key);
    // Many ask the same at once: one of them looks, and those who know an answer go on with that.
    if (current !== undefined) return known?.found ?? current.catch(() => answerTo(scope, asked));
    const own = lookAgain(scope, asked, key);
    looks.set(key, own);
    try {
      return await own;
    } finally {
      looks.delete(key);
    }
  };

  const has: TypeProbe['has'] = async (scope, { ns, path }, group, timeoutMs) => {
    if (!isServerPath(path)) return false;
    const asked = { ns, path, timeoutMs };
    // One look settles the usual case.
    if (group !== 'own' && !(await answerTo(scope, { ...asked, group: 'foreign' }))) return false;
    return answerTo(scope, { ...asked, group });
  };

  return {
    has,
    async sortStrategyAt(scope, place) {
      const [dates, others] = await Promise.all([
        has(scope, place, 'dates', PROBE_TIMEOUT_MS),
        has(scope, place, 'others', PROBE_TIMEOUT_MS),
      ]);
      if (!dates && !others) return 'plain';
      const own = await has(scope, place, 'own');
      // One kind alone, beside nothing but numbers and nulls, stands in its own order.
      if (dates !== others && !own && (dates || !(await has(scope, place, 'notIds')))) return 'plain';
      if (others) return 'evaluated';
      const { path } = place;
      const both = { $and: [{ [path]: { $type: 'date' } }, { [path]: { $type: TYPE_GROUPS.own } }] };
      const beyond = { [path]: { $type: ['object', 'bool'] } };
      const isOdd = await probe(scope, { ns: place.ns, query: { $or: [both, beyond] } });
      return isOdd === true ? 'evaluated' : 'merged';
    },
  };
}

/** One look alone may have been slow for any reason, such as a connection that had to be made for it. */
function smoothedCost(took: number, before: ProbeResult | undefined): number {
  return before === undefined ? took : Math.min(took, 2 * before.costMs);
}

/** Milliseconds for which it is believed that there is nothing, after a look that `began` then and costs so much. */
function ttlFor(began: number, cost: number, before: ProbeResult | undefined): number {
  if (before !== undefined && cost >= FAST_MS) return cost * TTL_FACTOR;
  const isBusy = before !== undefined && !before.found && began < before.expiresAt + before.ttlMs;
  return isBusy ? Math.min(2 * before.ttlMs, TTL_MS.most) : TTL_MS.first;
}

const MAX_TIME_EXPIRED = 50;

/** Whether a document is found; undefined where the server has not found out in `patienceMs`. */
async function probe(
  scope: OperationScope,
  { ns, query }: { readonly ns: Namespace; readonly query: Document },
  timeoutMs?: number,
): Promise<boolean | undefined> {
  const { collectionName } = scope.collection(ns);
  const command = {
    ...{ find: collectionName, filter: query, limit: 1, singleBatch: true, projection: { _id: 1 } },
    collation: { locale: 'simple' },
  };
  if (timeoutMs === undefined) return hasDocument(await runRead(scope, ns, command));
  try {
    const bounds = { maxTimeMS: Math.min(timeoutMs, scope.remainingMs() ?? timeoutMs) };
    const options = { ...command, readConcern: scope.readConcern(), ...bounds };
    return hasDocument(await scope.database(ns.database).command(options));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return undefined;
    throw error;
  }
}

const hasDocument = (answer: Document): boolean => answer['cursor'].firstBatch.length > 0;
