// Query plans, and the planner: chooses the index or scan for a filter and a sort. The same input gives the same plan. Plans are
// remembered by the text of filter and order.
import type { Json } from '../../../lib/json/json.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import { createTextKeys } from '../../../lib/text-keys.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import type { ComparisonKind, Filter, FilterTest } from '../../filter.ts';
import { compareText } from '../../matching/compare.ts';
import type { FindQuery, Sort } from '../../ports.ts';
import type { CollectionEntry, IndexEntry } from '../data-file/catalogue.ts';
import type { Connection, WorkLimit } from '../data-file/connection.ts';
import {
  type Access,
  type Conjunction,
  FULL_RANGE,
  flattenConjunction,
  type IndexAccess,
  type IndexAccessPlan,
  planIndexAccess,
} from './index-access.ts';
import { estimateRows, type OrderedTable, orderedTableFor } from './ordered-table.ts';
import { createSpellingResolver, hasState, stateOf } from './spellings.ts';

export interface Plan {
  readonly access: Access;
  /** Every document that the access finds matches the filter. */
  readonly exact: boolean;
  /** The access finds documents in the requested order. */
  readonly sorted: boolean;
  /** The plan to switch to when this one examines many documents and few of them match. */
  readonly fallback?: Plan;
}

/** What a plan depends on besides the query. */
export interface PlannerContext {
  readonly indexes: readonly IndexEntry[];
  /** About how many entries the access reads, exact up to `MANY`. Asked only when there is a choice. */
  estimate(access: IndexAccess): number;
}

/** From this many documents on, an index in the requested order is better than sorting. */
export const MAX_SORTED_DOCUMENTS = 2000;

/** Cost of a plan that stops as soon as the page is full. */
const PAGE_COST = 100;

/** Returns the direction of a sort by `_id`; undefined for other sorts. */
function idDirection(sort: Sort): 1 | -1 | undefined {
  const [first] = sort;
  if (first === undefined) return 1;
  return first[0] === '_id' ? first[1] : undefined;
}

function idsOf(test: FilterTest): readonly Json[] | undefined {
  if (test.kind === 'eq' && test.caseInsensitive !== true) return [test.value];
  return test.kind === 'in' ? test.values : undefined;
}

function planByIds(conjunction: Conjunction, sort: Sort): Plan | undefined {
  const tests = conjunction.tests.get('_id') ?? [];
  const test = tests.find((candidate) => idsOf(candidate) !== undefined);
  const values = test === undefined ? undefined : idsOf(test);
  if (values === undefined) return undefined;
  const ids = [...new Set(values.filter((value) => typeof value === 'string'))];
  if (ids.length > 1) ids.sort(compareText);
  const direction = idDirection(sort);
  if (direction === -1) ids.reverse();
  const exact = tests.length === 1 && conjunction.tests.size === 1 && conjunction.others.length === 0;
  return { access: { kind: 'ids', ids }, exact, sorted: direction !== undefined || ids.length < 2 };
}

/** An index is usable only if the query filters or sorts by its first key. */
function isApplicable({ definition }: IndexEntry, { tests }: Conjunction, sort: Sort): boolean {
  const first = definition.keys[0]?.path ?? '';
  return tests.has(first) || sort[0]?.[0] === first;
}

function indexPlans(conjunction: Conjunction, sort: Sort, indexes: readonly IndexEntry[]): IndexAccessPlan[] {
  const plans: IndexAccessPlan[] = [];
  for (const index of indexes) {
    if (!index.ready || !isApplicable(index, conjunction, sort)) continue;
    const plan = planIndexAccess(conjunction, sort, index);
    if (plan !== undefined && (plan.selectivity > 0 || plan.sorted)) plans.push(plan);
  }
  return plans;
}

const scoreOf = (plan: IndexAccessPlan) => plan.selectivity + (plan.sorted ? 60 : 0) + (plan.exact ? 30 : 0);

function bestIndexPlan(plans: readonly IndexAccessPlan[], { estimate }: PlannerContext): Plan | undefined {
  const ranked = plans.toSorted((a, b) => scoreOf(b) - scoreOf(a));
  const [first] = ranked;
  if (first === undefined || ranked.length === 1 || (first.exact && first.sorted)) return first;
  const narrowing = ranked.filter((plan) => plan.selectivity > 0);
  const ordered = ranked.find((plan) => plan.sorted && plan.selectivity === 0);
  if (narrowing.length === 1 && ordered === undefined) return narrowing[0];
  const costs = narrowing.map((plan) => {
    const cost = estimate(plan.access);
    return { plan, cost: plan.sorted && plan.exact ? Math.min(cost, PAGE_COST) : cost };
  });
  const cheapest = costs.toSorted((a, b) => a.cost - b.cost)[0];
  if (cheapest === undefined) return first;
  if (cheapest.cost < MAX_SORTED_DOCUMENTS || cheapest.plan.sorted || ordered === undefined)
    return cheapest.plan;
  return { ...ordered, fallback: cheapest.plan };
}

/** Plans an `or` as the union of its branches, if every branch narrows an index. */
function planUnion(conjunction: Conjunction, { indexes }: PlannerContext): Plan | undefined {
  for (const node of conjunction.others) {
    if (node.kind !== 'or') continue;
    const branches = node.filters.map((branch) => {
      const plans = indexPlans(flattenConjunction(branch), [], indexes).filter(
        (plan) => plan.selectivity > 0,
      );
      return plans.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0]?.access;
    });
    const found = branches.filter((branch) => branch !== undefined);
    if (found.length === 0 || found.length < branches.length) continue;
    return { access: { kind: 'union', branches: found }, exact: false, sorted: false };
  }
  return undefined;
}

function planWithoutIndex(conjunction: Conjunction, sort: Sort): Plan {
  const tests = conjunction.tests.get('_id') ?? [];
  const range = idRange(tests);
  const direction = idDirection(sort);
  if (direction === undefined && range === ALL_IDS) {
    return { access: { kind: 'scan' }, exact: isEmpty(conjunction), sorted: false };
  }
  const others = conjunction.tests.size + conjunction.others.length - (tests.length > 0 ? 1 : 0);
  const exact = others === 0 && tests.every((test) => idRangeOf(test) !== undefined);
  const access: Access = { kind: 'id-scan', reversed: direction === -1, low: range.low, high: range.high };
  return { access, exact, sorted: direction !== undefined };
}

const isEmpty = ({ tests, others }: Conjunction) => tests.size === 0 && others.length === 0;

interface IdRange {
  readonly low: string;
  readonly high: string | Buffer;
}

const ALL_IDS: IdRange = { low: '', high: Buffer.from([0]) };

/** Returns the range of ids that a comparison with text selects. */
function idRangeOf(test: FilterTest): IdRange | undefined {
  switch (test.kind) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof test.value === 'string' ? comparedIds(test.kind, test.value) : undefined;
    case 'eq':
    case 'ne':
    case 'in':
    case 'nin':
    case 'all':
    case 'exists':
    case 'size':
    case 'type':
    case 'regex':
    case 'not':
    case 'elemMatch':
    case 'elemMatchValue':
      return undefined;
    default:
      return unreachable(test);
  }
}

/** No text sorts between a text and the same text followed by a NUL. */
function comparedIds(kind: ComparisonKind, text: string): IdRange {
  switch (kind) {
    case 'gt':
      return { ...ALL_IDS, low: `${text}\0` };
    case 'gte':
      return { ...ALL_IDS, low: text };
    case 'lt':
      return { ...ALL_IDS, high: text };
    case 'lte':
      return { ...ALL_IDS, high: `${text}\0` };
    default:
      return unreachable(kind);
  }
}

function idRange(tests: readonly FilterTest[]): IdRange {
  return tests.reduce((range, test) => {
    const bound = idRangeOf(test);
    if (bound === undefined) return range;
    const low = compareText(bound.low, range.low) > 0 ? bound.low : range.low;
    const { high } = range;
    const lower =
      typeof bound.high === 'string' && (typeof high !== 'string' || compareText(bound.high, high) < 0);
    return { low, high: lower ? bound.high : high };
  }, ALL_IDS);
}

/** Plans `filter` and `sort`. */
export function planQuery(filter: Filter, sort: Sort, context: PlannerContext): Plan {
  const conjunction = flattenConjunction(filter);
  const byIds = planByIds(conjunction, sort);
  if (byIds !== undefined) return byIds;
  const plain = planWithoutIndex(conjunction, sort);
  if (plain.exact && plain.sorted) return plain;
  const best = bestIndexPlan(indexPlans(conjunction, sort, context.indexes), context);
  if (best === undefined) return planUnion(conjunction, context) ?? plain;
  const readsAll = best.access.kind === 'index' && best.fallback === undefined && isFullScan(best.access);
  if (!readsAll || best.exact) return best;
  return { ...best, fallback: planUnion(conjunction, context) ?? plain };
}

function isFullScan(access: IndexAccess): boolean {
  return access.ranges[0] === FULL_RANGE;
}

/** A plan, with the table that it reads alone. */
export interface PlannedQuery {
  readonly plan: Plan;
  /** The table that holds each match once and nothing else; undefined if there is none. */
  readonly table: OrderedTable | undefined;
}

/** Plans a query of a collection. Throws what `workLimit` throws. */
export type Planner = (
  entry: CollectionEntry,
  query: Pick<FindQuery, 'filter' | 'sort'>,
  workLimit: WorkLimit,
) => PlannedQuery;

interface RememberedPlan extends PlannedQuery {
  readonly indexes: CollectionEntry['indexes'];
  /** What the plan took from the indexes besides their definitions. */
  readonly states: readonly number[];
  /** The commits of the collection before it, where it has spellings of then; else undefined. */
  readonly writes: number | undefined;
}

/** Plans that are remembered, and the characters up to which filter and order of one are. */
const MAX_PLANS = 1000;
const MAX_KEY_CHARACTERS = 4096;

/**
 * Creates the planner of one connection. The catalogue makes a new list of indexes when one is added or dropped and when another
 * process wrote, which ends the plans of the old list. A plan that depends on the data is made anew each time, as is one by ids,
 * which is made at once and seldom asked for again.
 */
export function createPlanner(connection: Connection): Planner {
  const plans = createTextCache<RememberedPlan>({ max: MAX_PLANS, maxCharacters: MAX_KEY_CHARACTERS });
  const keyOf = createTextKeys();
  const resolveSpellings = createSpellingResolver(connection);

  const isCurrent = ({ indexes, states, writes }: RememberedPlan, entry: CollectionEntry) =>
    indexes === entry.indexes &&
    hasState(indexes, states) &&
    (writes === undefined || writes === entry.writes);

  return (entry, { filter, sort }, workLimit) => {
    const { indexes, writes } = entry;
    const key = keyOf(keyOf(String(entry.n), sort), filter);
    const known = plans.get(key);
    if (known !== undefined && isCurrent(known, entry)) return known;
    const resolved = resolveSpellings(entry, filter, workLimit);
    let dependsOnData = false;
    const plan = planQuery(resolved, sort, {
      indexes,
      estimate(access) {
        dependsOnData = true;
        return estimateRows(connection, access, MAX_SORTED_DOCUMENTS);
      },
    });
    const made: RememberedPlan = {
      plan,
      table: plan.exact ? orderedTableFor(entry, plan.access) : undefined,
      indexes,
      states: indexes.map(stateOf),
      writes: resolved === filter ? undefined : writes,
    };
    if (!dependsOnData && plan.access.kind !== 'ids') plans.set(key, made);
    return made;
  };
}
