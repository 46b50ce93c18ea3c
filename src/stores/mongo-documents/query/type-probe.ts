// Probes which non-JSON types (dates, ObjectIds, …) other programs have stored at a path. The server compares such values
// by their own rules although they are read as text. Collections written by this server alone have none.
import { LRUCache } from 'lru-cache';
import { type Document, MongoServerError } from 'mongodb';
import { type Namespace, namespaceKey } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { HUGE_NUMBERS } from '../filters/stored-values.ts';
import { NON_JSON_TEXT_TYPES } from '../filters/value-conditions.ts';
import { ANY_TEXT, runRead } from './read-command.ts';
import { isServerPath } from './sort-and-projection.ts';

/** Groups of BSON types that are probed together. */
const TYPE_GROUPS = {
  /** All of the next two. */
  foreign: NON_JSON_TEXT_TYPES,
  dates: ['date'],
  /** Shown as text, and no dates. */
  others: NON_JSON_TEXT_TYPES.filter((type) => type !== 'date'),
  notIds: NON_JSON_TEXT_TYPES.filter((type) => type !== 'date' && type !== 'objectId'),
  /** Ours, which belong before or between those of the other groups. */
  own: ['string', 'object', 'bool'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** `hugeNumbers`: numbers that no double comes near, which are read as null. */
type TypeGroup = keyof typeof TYPE_GROUPS | 'hugeNumbers';

/** A condition on the values of a path. */
const conditionOf = (group: TypeGroup, path: string): Document =>
  group === 'hugeNumbers'
    ? { $or: HUGE_NUMBERS.map((range) => ({ [path]: range })) }
    : { [path]: { $type: TYPE_GROUPS[group] } };

export interface TypeProbe {
  /**
   * Whether any document has a value of the group at the path, also within an array. A probe that reaches `timeoutMs`
   * returns the last result, or false.
   */
  has(scope: OperationScope, fieldPath: FieldPath, group: TypeGroup, timeoutMs?: number): Promise<boolean>;
  /** Whether the server's order of the values at a path is the right one. */
  isInOrder(scope: OperationScope, fieldPath: FieldPath): Promise<boolean>;
}

interface FieldPath {
  readonly ns: Namespace;
  readonly path: string;
}

interface ProbeResult {
  readonly found: boolean;
  /** Milliseconds of the clock. */
  readonly expiresAt: number;
  /** Milliseconds that the result is valid for in total. */
  readonly ttlMs: number;
  /** Milliseconds that a probe takes. */
  readonly costMs: number;
  /** Set if the probe ended at this time limit without a result. */
  readonly timeoutMs?: number | undefined;
}

interface ProbeRequest extends FieldPath {
  readonly group: TypeGroup;
  readonly timeoutMs: number | undefined;
}

/** Time limit of a probe for a read, in milliseconds: without an index it would scan the collection. */
export const PROBE_TIMEOUT_MS = 1000;

const MAX_RESULTS = 5000;
/** Probes faster than this are cheap and repeated often; a slower one is valid for a hundred times its own time. */
const FAST_MS = 25;
const TTL_FACTOR = 100;
/** Bounds of the validity of cheap negative results, which doubles with each probe while the path is in use. */
const TTL_MS = { min: 10, max: 1000 };
/** Validity of positive results and of probes that hit their time limit. */
const FOUND_TTL_MS = 10_000;

/** Creates a probe without results. `now` returns milliseconds. */
export function createTypeProbe(now: () => number): TypeProbe {
  const results = new LRUCache<string, ProbeResult>({ max: MAX_RESULTS });
  const running = new Map<string, Promise<boolean>>();

  const runProbe = async (scope: OperationScope, request: ProbeRequest, key: string): Promise<boolean> => {
    const { ns, path, group, timeoutMs } = request;
    const began = now();
    const hasValue = await probe(scope, { ns, query: conditionOf(group, path) }, timeoutMs);
    if (hasValue === undefined) {
      const found = results.get(key)?.found ?? false;
      const costMs = now() - began;
      results.set(key, { found, expiresAt: now() + FOUND_TTL_MS, ttlMs: FOUND_TTL_MS, costMs, timeoutMs });
      return found;
    }
    const before = results.get(key);
    const costMs = smoothedCost(now() - began, before);
    const ttlMs = hasValue ? FOUND_TTL_MS : ttlFor(began, costMs, before);
    results.set(key, { found: hasValue, expiresAt: now() + ttlMs, ttlMs, costMs });
    return hasValue;
  };

  const resultOf = async (scope: OperationScope, request: ProbeRequest): Promise<boolean> => {
    const { ns, path, group, timeoutMs = Number.POSITIVE_INFINITY } = request;
    const key = JSON.stringify([namespaceKey(ns), path, group]);
    const known = results.get(key);
    const isEnough = (known?.timeoutMs ?? Number.POSITIVE_INFINITY) >= timeoutMs;
    if (known !== undefined && isEnough && now() < known.expiresAt) return known.found;
    const current = running.get(key);
    // One of several concurrent callers probes; those with an older result use that one.
    if (current !== undefined) return known?.found ?? current.catch(() => resultOf(scope, request));
    const own = runProbe(scope, request, key);
    running.set(key, own);
    try {
      return await own;
    } finally {
      running.delete(key);
    }
  };

  const has: TypeProbe['has'] = async (scope, { ns, path }, group, timeoutMs) => {
    if (!isServerPath(path)) return false;
    const request = { ns, path, timeoutMs };
    // One probe covers the usual case.
    const isForeign = group !== 'own' && group !== 'hugeNumbers';
    if (isForeign && !(await resultOf(scope, { ...request, group: 'foreign' }))) return false;
    return resultOf(scope, { ...request, group });
  };

  return {
    has,
    async isInOrder(scope, fieldPath) {
      const [dates, others] = await Promise.all([
        has(scope, fieldPath, 'dates', PROBE_TIMEOUT_MS),
        has(scope, fieldPath, 'others', PROBE_TIMEOUT_MS),
      ]);
      if (!dates && !others) return true;
      // A single type, besides numbers and nulls, is sorted correctly by the server.
      if ((dates && others) || (await has(scope, fieldPath, 'own'))) return false;
      return dates || !(await has(scope, fieldPath, 'notIds'));
    },
  };
}

/** A single probe may be slow for other reasons, such as a new connection. */
function smoothedCost(took: number, before: ProbeResult | undefined): number {
  return before === undefined ? took : Math.min(took, 2 * before.costMs);
}

/** Validity of a negative result, in milliseconds. */
function ttlFor(began: number, cost: number, before: ProbeResult | undefined): number {
  if (before !== undefined && cost >= FAST_MS) return cost * TTL_FACTOR;
  const isBusy = before !== undefined && !before.found && began < before.expiresAt + before.ttlMs;
  return isBusy ? Math.min(2 * before.ttlMs, TTL_MS.max) : TTL_MS.min;
}

const MAX_TIME_EXPIRED = 50;

/** Whether a document matches; undefined if the server reached the time limit. */
async function probe(
  scope: OperationScope,
  { ns, query }: { readonly ns: Namespace; readonly query: Document },
  timeoutMs?: number,
): Promise<boolean | undefined> {
  const { collectionName } = scope.collection(ns);
  const command = {
    find: collectionName,
    filter: query,
    limit: 1,
    singleBatch: true,
    projection: { _id: 1 },
    collation: { locale: 'simple' },
  };
  if (timeoutMs === undefined) return hasDocument(await runRead(scope, ns, command));
  try {
    const bounds = { maxTimeMS: Math.min(timeoutMs, scope.remainingMs() ?? timeoutMs) };
    const options = { ...command, readConcern: scope.readConcern(), ...bounds };
    return hasDocument(await scope.database(ns.database).command(options, ANY_TEXT));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return undefined;
    throw error;
  }
}

const hasDocument = (answer: Document): boolean => answer['cursor'].firstBatch.length > 0;
