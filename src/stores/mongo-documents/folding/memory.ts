// Remembers which spellings of a text there are, for as long as nothing at all has been written to the deployment: then
// a query that ignores case is an exact one, in one round trip.
import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filter.ts';
import type { Namespace } from '../../ports.ts';
import { hasLongList } from '../filters/lists.ts';
import { type FoldedEquality, foldedEqualities, withSpellings } from './equalities.ts';

/** A filter that asks for spellings in place of any, and the time at which these were all that there were. */
interface Remembered {
  readonly filter: Filter;
  readonly time: bigint;
}

/** Times are those of the last write that the majority has, to whatever collection, as the server's answers tell them. */
export interface SpellingMemory {
  /** Takes the time of an answer; undefined where the server tells none. */
  saw(time: bigint | undefined): void;
  /** The latest time that was seen. What is read after that is not older. */
  latest(): bigint | undefined;
  /**
   * The exact filter, where every spelling is known and nothing is known to have been written since. What it finds is
   * right if the answer has the same time, and may lack something otherwise.
   */
  recall(ns: Namespace, filter: Filter): Remembered | undefined;
  /** Takes the spellings that were all there were at `time`. */
  keep(ns: Namespace, equality: FoldedEquality, known: { spellings: readonly string[]; time: bigint }): void;
  /** Takes that the spellings of a text cannot be looked up in reasonable time. */
  giveUp(ns: Namespace, equality: FoldedEquality): void;
  /** Whether that holds of some texts of the filter, and of all of them. */
  givenUp(ns: Namespace, filter: Filter): { readonly some: boolean; readonly all: boolean };
  /** Whether the same was asked for before and nothing written since, so that looking up will pay. */
  isAskedAgain(ns: Namespace, filter: Filter): boolean;
}

const MOST = 2000;
const MOST_CHARACTERS = 1024;
const FORGET_MS = 60_000;

const keyOf = ({ database, collection }: Namespace, what: unknown) =>
  JSON.stringify([database, collection, what]);

/** Remembers nothing yet. */
export function createSpellingMemory(): SpellingMemory {
  const spellings = new LRUCache<string, { spellings: readonly string[]; time: bigint }>({ max: MOST });
  const asked = new LRUCache<string, bigint>({ max: MOST });
  const hopeless = new LRUCache<string, true>({ max: MOST, ttl: FORGET_MS });
  let latest: bigint | undefined;
  return {
    saw(time) {
      if (time !== undefined && (latest === undefined || time > latest)) latest = time;
    },
    latest: () => latest,
    recall(ns, filter) {
      if (latest === undefined) return undefined;
      let result = filter;
      for (const equality of foldedEqualities(filter)) {
        const known = spellings.get(keyOf(ns, equality));
        if (known?.time !== latest) return undefined;
        result = withSpellings(result, equality, known.spellings);
      }
      return { filter: result, time: latest };
    },
    keep(ns, equality, known) {
      const key = keyOf(ns, equality);
      if (key.length <= MOST_CHARACTERS) spellings.set(key, known);
    },
    giveUp(ns, equality) {
      const key = keyOf(ns, equality);
      if (key.length <= MOST_CHARACTERS) hopeless.set(key, true);
    },
    givenUp(ns, filter) {
      const states = foldedEqualities(filter).map((equality) => hopeless.has(keyOf(ns, equality)));
      return { some: states.includes(true), all: !states.includes(false) };
    },
    isAskedAgain(ns, filter) {
      if (latest === undefined || hasLongList(filter)) return false;
      const key = keyOf(ns, filter);
      if (key.length > MOST_CHARACTERS) return false;
      const isAgain = asked.get(key) === latest;
      asked.set(key, latest);
      return isAgain;
    },
  };
}
