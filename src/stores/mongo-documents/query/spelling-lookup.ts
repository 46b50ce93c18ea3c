// Finds the stored spellings of a text by a skip scan through an index: from each key to the next possible spelling.
import { MaxKey, MinKey, MongoServerError } from 'mongodb';
import { foldCase } from '../../../lib/regex/case-folding.ts';
import { createSpellings } from '../../matching/spellings.ts';
import type { Direction, Namespace } from '../../ports.ts';
import type { KnownIndex, OperationScope } from '../connection/types.ts';
import type { TextEquality } from '../filters/text-conditions.ts';
import { BINARY_COLLATION, operationTimeOf, runRead } from './read-command.ts';

/** Round trips, each of a fraction of a millisecond. Common beginnings in many spellings need more. */
const MAX_ROUND_TRIPS = 24;

/** Longer text is not looked up so. */
const MAX_TEXT_CHARACTERS = 500;

export interface StoredSpellings {
  readonly spellings: readonly string[];
  /** Operation time of the answers, if they all have the same. */
  readonly time: bigint | undefined;
}

/**
 * Every stored text at the path that folds like the given one; undefined where that takes too long, or no index knows.
 */
export async function findSpellings(
  scope: OperationScope,
  { path, text }: TextEquality,
  { ns, known }: { readonly ns: Namespace; readonly known: readonly KnownIndex[] },
): Promise<StoredSpellings | undefined> {
  const index = known.find(({ definition }) => definition.keys[0]?.path === path);
  if (index === undefined || text.length > MAX_TEXT_CHARACTERS) return undefined;
  // Each shard has its own first key.
  if (scope.deployment.kind === 'sharded') return undefined;
  const keys = keysOf(index);
  const possible = createSpellings(text, { direction: keys[0][1] });
  const folded = foldCase(text);
  const spellings: string[] = [];
  const times = new Set<bigint | undefined>();
  let next: string | undefined = possible.first;
  for (let leaps = 0; next !== undefined; leaps += 1) {
    if (leaps === MAX_ROUND_TRIPS) return undefined;
    const key = await firstKey(scope, { ns, name: index.name, keys, from: next });
    if (key === undefined) return undefined;
    const { value, time } = key;
    times.add(time);
    if (typeof value !== 'string') break;
    if (foldCase(value) === folded) {
      spellings.push(value);
      next = possible.after(value);
    } else {
      next = possible.from(value);
    }
  }
  const [time] = times;
  return { spellings, time: times.size === 1 ? time : undefined };
}

interface KeyLookup {
  readonly ns: Namespace;
  readonly name: string;
  readonly keys: Keys;
  readonly from: string;
}

/**
 * The first key of the index from `from` on, no value if there is none; undefined if the index was changed or dropped.
 */
async function firstKey(
  scope: OperationScope,
  { ns, name, keys: [[path], ...others], from }: KeyLookup,
): Promise<{ readonly value?: unknown; readonly time: bigint | undefined } | undefined> {
  const min = new Map<string, unknown>([[path, from]]);
  for (const [other, direction] of others) min.set(other, direction === 1 ? new MinKey() : new MaxKey());
  const { collectionName } = scope.collection(ns);
  const bounds = { hint: name, min, returnKey: true, collation: BINARY_COLLATION };
  const command = { find: collectionName, ...bounds, limit: 1, singleBatch: true };
  try {
    const answer = await runRead(scope, ns, command);
    const [key] = answer['cursor'].firstBatch;
    return { value: key?.[path], time: operationTimeOf(answer) };
  } catch (error) {
    if (error instanceof MongoServerError && INDEX_MISMATCH_CODES.has(error.code)) return undefined;
    throw error;
  }
}

/** Errors for an index that does not exist or has other keys: BadValue, and a code without a name. */
const INDEX_MISMATCH_CODES: ReadonlySet<unknown> = new Set([2, 51174]);

type Keys = [readonly [string, Direction], ...(readonly [string, Direction])[]];

/** The keys as they are in the database. */
function keysOf({ definition, endsInId }: KnownIndex): Keys {
  const keys = definition.keys.map(({ path, direction }) => [path, direction] as const);
  if (endsInId && !definition.keys.some(({ path }) => path === '_id')) {
    keys.push(['_id', definition.keys.at(-1)?.direction ?? 1]);
  }
  return keys as unknown as Keys;
}
