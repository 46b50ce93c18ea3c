// Which kinds of values that only other programs write there are at a path: dates, identifiers and the like, which are
// shown as text but compared by the server in ways of their own. Our own documents have none, and then nothing changes.
import { LRUCache } from 'lru-cache';
import { type Document, MongoServerError } from 'mongodb';
import type { Namespace } from '../ports.ts';
import type { Scope } from './connection/types.ts';
import { FOREIGN_TEXT_TYPES } from './filters/values.ts';
import { runRead } from './finding/read-command.ts';
import { isPlainPath } from './finding/sort.ts';
import { spaceKey } from './names.ts';

/** Groups of types that are asked for together. */
const GROUPS = {
  /** All of the next two. */
  foreign: FOREIGN_TEXT_TYPES,
  dates: ['date'],
  /** Shown as text, and no dates. */
  others: FOREIGN_TEXT_TYPES.filter((type) => type !== 'date'),
  ids: ['objectId'],
  notIds: FOREIGN_TEXT_TYPES.filter((type) => type !== 'date' && type !== 'objectId'),
  /** Ours, which belong before or between those of the other groups. */
  own: ['string', 'object', 'bool'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Group = keyof typeof GROUPS;

/** How a sort by a path must be done: `merged` where dates and text alone are mixed there. */
type Order = 'plain' | 'merged' | 'evaluated';

export interface ValueKinds {
  /**
   * Whether a document has a value of the group at the path, in a list too. With `patienceMs`, a server that has found none
   * in so many milliseconds is taken to have what was last found there, else none.
   */
  has(scope: Scope, place: Place, group: Group, patienceMs?: number): Promise<boolean>;
  /** What the server's order of the values at a path is worth. */
  orderAt(scope: Scope, place: Place): Promise<Order>;
}

interface Place {
  readonly ns: Namespace;
  readonly path: string;
}

interface Answer {
  readonly found: boolean;
  /** Milliseconds of the clock. */
  readonly until: number;
  /** Milliseconds for which it is believed in all. */
  readonly keptMs: number;
  /** Milliseconds that a look takes. */
  readonly costMs: number;
  /** Present where the server found nothing in so many milliseconds, and came to no end. */
  readonly patienceMs?: number | undefined;
}

interface Asked extends Place {
  readonly group: Group;
  readonly patienceMs: number | undefined;
}

/** Milliseconds that a read waits for a look at a path, where no index helps. */
export const PATIENCE_MS = 1000;

const MOST_ANSWERS = 5000;
/** A look that takes less, in milliseconds, is repeated often; another after so many times as long as it took. */
const QUICK_MS = 25;
const TIMES = 100;
/** Bounds of the time for which the answer of a quick look is believed: doubled while it is asked for all the time. */
const KEPT_MS = { first: 10, most: 1000 };
/** What was found is there for a while, and a look that came to no end is not begun again at once. */
const FOUND_MS = 10_000;

/** Knows nothing yet. `now` tells milliseconds. */
export function createValueKinds(now: () => number): ValueKinds {
  const answers = new LRUCache<string, Answer>({ max: MOST_ANSWERS });
  const looks = new Map<string, Promise<boolean>>();

  const lookAgain = async (scope: Scope, asked: Asked, key: string): Promise<boolean> => {
    const { ns, path, group, patienceMs } = asked;
    const began = now();
    const seen = await look(scope, { ns, query: { [path]: { $type: GROUPS[group] } } }, patienceMs);
    if (seen === undefined) {
      const found = answers.get(key)?.found ?? false;
      const costMs = now() - began;
      answers.set(key, { found, until: now() + FOUND_MS, keptMs: FOUND_MS, costMs, patienceMs });
      return found;
    }
    const before = answers.get(key);
    const costMs = costOf(now() - began, before);
    const keptMs = seen ? FOUND_MS : keptFor(began, costMs, before);
    answers.set(key, { found: seen, until: now() + keptMs, keptMs, costMs });
    return seen;
  };

  const answerTo = async (scope: Scope, asked: Asked): Promise<boolean> => {
    const { ns, path, group, patienceMs = Number.POSITIVE_INFINITY } = asked;
    const key = JSON.stringify([spaceKey(ns), path, group]);
    const known = answers.get(key);
    const isEnough = (known?.patienceMs ?? Number.POSITIVE_INFINITY) >= patienceMs;
    if (known !== undefined && isEnough && now() < known.until) return known.found;
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

  const has: ValueKinds['has'] = async (scope, { ns, path }, group, patienceMs) => {
    if (!isPlainPath(path)) return false;
    const asked = { ns, path, patienceMs };
    // One look settles the usual case.
    if (group !== 'own' && !(await answerTo(scope, { ...asked, group: 'foreign' }))) return false;
    return answerTo(scope, { ...asked, group });
  };

  return {
    has,
    async orderAt(scope, place) {
      const [dates, others] = await Promise.all([
        has(scope, place, 'dates', PATIENCE_MS),
        has(scope, place, 'others', PATIENCE_MS),
      ]);
      if (!dates && !others) return 'plain';
      const own = await has(scope, place, 'own');
      // One kind alone, beside nothing but numbers and nulls, stands in its own order.
      if (dates !== others && !own && (dates || !(await has(scope, place, 'notIds')))) return 'plain';
      if (others) return 'evaluated';
      const { path } = place;
      const both = { $and: [{ [path]: { $type: 'date' } }, { [path]: { $type: GROUPS.own } }] };
      const beyond = { [path]: { $type: ['object', 'bool'] } };
      const isOdd = await look(scope, { ns: place.ns, query: { $or: [both, beyond] } });
      return isOdd === true ? 'evaluated' : 'merged';
    },
  };
}

/** One look alone may have been slow for any reason, such as a connection that had to be made for it. */
function costOf(took: number, before: Answer | undefined): number {
  return before === undefined ? took : Math.min(took, 2 * before.costMs);
}

/** Milliseconds for which it is believed that there is nothing, after a look that `began` then and costs so much. */
function keptFor(began: number, cost: number, before: Answer | undefined): number {
  if (before !== undefined && cost >= QUICK_MS) return cost * TIMES;
  const isBusy = before !== undefined && !before.found && began < before.until + before.keptMs;
  return isBusy ? Math.min(2 * before.keptMs, KEPT_MS.most) : KEPT_MS.first;
}

const MAX_TIME_EXPIRED = 50;

/** Whether a document is found; undefined where the server has not found out in `patienceMs`. */
async function look(
  scope: Scope,
  { ns, query }: { readonly ns: Namespace; readonly query: Document },
  patienceMs?: number,
): Promise<boolean | undefined> {
  const { collectionName } = scope.collection(ns);
  const command = {
    ...{ find: collectionName, filter: query, limit: 1, singleBatch: true, projection: { _id: 1 } },
    collation: { locale: 'simple' },
  };
  if (patienceMs === undefined) return isFound(await runRead(scope, ns, command));
  try {
    const bounds = { maxTimeMS: Math.min(patienceMs, scope.left() ?? patienceMs) };
    const options = { ...command, readConcern: scope.readConcern(), ...bounds };
    return isFound(await scope.database(ns.database).command(options));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return undefined;
    throw error;
  }
}

const isFound = (answer: Document): boolean => answer['cursor'].firstBatch.length > 0;
