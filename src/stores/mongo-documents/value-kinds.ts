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
   * in so many milliseconds is taken to have none.
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
}

const MOST_ANSWERS = 5000;
/** Looking takes a tenth of the time at most, and far less where a look takes long because no index helps. */
const QUICK_MS = 25;
const TIMES = { quick: 10, slow: 200 };
const LONGEST_MS = 60_000;
/** What was found is there for a while. */
const FOUND_MS = 10_000;

/** Knows nothing yet. `now` tells milliseconds. */
export function createValueKinds(now: () => number): ValueKinds {
  const answers = new LRUCache<string, Answer>({ max: MOST_ANSWERS });

  const has: ValueKinds['has'] = async (scope, place, group, patienceMs) => {
    const { ns, path } = place;
    if (!isPlainPath(path)) return false;
    const exactly = JSON.stringify([spaceKey(ns), path, group]);
    const roughly = `${exactly} in ${patienceMs}`;
    const began = now();
    const known = [answers.get(exactly), answers.get(roughly)].find((one) => one && began < one.until);
    if (known !== undefined) return known.found;
    const found = await look(scope, { ns, query: { [path]: { $type: GROUPS[group] } } }, patienceMs);
    const took = now() - began;
    const times = took < QUICK_MS ? TIMES.quick : TIMES.slow;
    const keep = found === true ? FOUND_MS : Math.min(took * times, LONGEST_MS);
    answers.set(found === undefined ? roughly : exactly, { found: found === true, until: now() + keep });
    return found === true;
  };

  return {
    has,
    async orderAt(scope, place) {
      const ask = (group: Group) => has(scope, place, group);
      const [dates, others] = await Promise.all([ask('dates'), ask('others')]);
      if (!dates && !others) return 'plain';
      const own = await ask('own');
      // One kind alone, beside nothing but numbers and nulls, stands in its own order.
      if (dates !== others && !own && (dates || !(await ask('notIds')))) return 'plain';
      if (others) return 'evaluated';
      const { path } = place;
      const both = { $and: [{ [path]: { $type: 'date' } }, { [path]: { $type: GROUPS.own } }] };
      const beyond = { [path]: { $type: ['object', 'bool'] } };
      const isOdd = await look(scope, { ns: place.ns, query: { $or: [both, beyond] } });
      return isOdd === true ? 'evaluated' : 'merged';
    },
  };
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
