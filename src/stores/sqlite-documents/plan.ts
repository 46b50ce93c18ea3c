// Chooses how to answer a query. Pure: the same filter, sort, indexes and estimates give the same plan.
import type { Json } from '../../lib/json.ts';
import type { Filter, Test } from '../filter.ts';
import type { Sort } from '../ports.ts';
import type { IndexEntry } from './catalogue.ts';
import { type Conjunction, conjunctionOf } from './conjunction.ts';
import { EVERY_KEY, type IndexPlan, planIndex } from './plan-index.ts';
import type { Access, IndexAccess, Plan } from './plan-types.ts';

/** What a plan depends on beside the query. */
export interface Circumstances {
  readonly indexes: readonly IndexEntry[];
  /** About how many entries the access reads, exact up to `MANY`. Asked only when there is a choice. */
  estimate(access: IndexAccess): number;
}

/** Sorting this many documents costs more than it is worth when an index has the order. */
export const MANY = 2000;

/** What a plan costs that stops as soon as a page is full. */
const PAGE_COST = 100;

/** The direction of a sort that the ids alone decide, else undefined. */
function idDirection(sort: Sort): 1 | -1 | undefined {
  const [first] = sort;
  if (first === undefined) return 1;
  return first[0] === '_id' ? first[1] : undefined;
}

function idsOf(test: Test): readonly Json[] | undefined {
  if (test.kind === 'eq' && test.fold !== true) return [test.value];
  return test.kind === 'in' ? test.values : undefined;
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function planByIds(conjunction: Conjunction, sort: Sort): Plan | undefined {
  const tests = conjunction.tests.get('_id') ?? [];
  const test = tests.find((candidate) => idsOf(candidate) !== undefined);
  const values = test === undefined ? undefined : idsOf(test);
  if (values === undefined) return undefined;
  const ids = [...new Set(values.filter((value) => typeof value === 'string'))];
  if (ids.length > 1) ids.sort(byBytes);
  const direction = idDirection(sort);
  if (direction === -1) ids.reverse();
  const exact = tests.length === 1 && conjunction.tests.size === 1 && conjunction.others.length === 0;
  return { access: { kind: 'ids', ids }, exact, sorted: direction !== undefined || ids.length < 2 };
}

/** An index serves a query by its first key or not at all. */
function isConcerned({ definition }: IndexEntry, { tests }: Conjunction, sort: Sort): boolean {
  const first = definition.keys[0]?.path ?? '';
  return tests.has(first) || sort[0]?.[0] === first;
}

/** The folded table is for equality that ignores case; the exact one serves all else better. */
function wantsFolded({ folded, definition }: IndexEntry, { tests }: Conjunction): boolean {
  if (!folded) return false;
  const isFold = (test: Test) => test.kind === 'eq' && test.fold === true;
  return definition.keys.some((key) => key.fold && tests.get(key.path)?.some(isFold) === true);
}

function indexPlans(conjunction: Conjunction, sort: Sort, indexes: readonly IndexEntry[]): IndexPlan[] {
  const plans: IndexPlan[] = [];
  for (const index of indexes) {
    if (!index.ready || !isConcerned(index, conjunction, sort)) continue;
    for (const folded of wantsFolded(index, conjunction) ? [false, true] : [false]) {
      const plan = planIndex(conjunction, sort, { index, folded });
      if (plan !== undefined && (plan.narrowing > 0 || plan.sorted)) plans.push(plan);
    }
  }
  return plans;
}

const merit = (plan: IndexPlan) => plan.narrowing + (plan.sorted ? 60 : 0) + (plan.exact ? 30 : 0);

function bestIndexPlan(plans: readonly IndexPlan[], { estimate }: Circumstances): Plan | undefined {
  const ranked = plans.toSorted((a, b) => merit(b) - merit(a));
  const [first] = ranked;
  if (first === undefined || ranked.length === 1 || (first.exact && first.sorted)) return first;
  const narrowing = ranked.filter((plan) => plan.narrowing > 0);
  const ordered = ranked.find((plan) => plan.sorted && plan.narrowing === 0);
  if (narrowing.length === 1 && ordered === undefined) return narrowing[0];
  const costs = narrowing.map((plan) => {
    const cost = estimate(plan.access);
    return { plan, cost: plan.sorted && plan.exact ? Math.min(cost, PAGE_COST) : cost };
  });
  const cheapest = costs.toSorted((a, b) => a.cost - b.cost)[0];
  if (cheapest === undefined) return first;
  if (cheapest.cost < MANY || cheapest.plan.sorted || ordered === undefined) return cheapest.plan;
  return { ...ordered, otherwise: cheapest.plan };
}

/** An `or` whose every branch narrows some index is the union of what the branches find. */
function planUnion(conjunction: Conjunction, { indexes }: Circumstances): Plan | undefined {
  for (const node of conjunction.others) {
    if (node.kind !== 'or') continue;
    const branches = node.filters.map((branch) => {
      const plans = indexPlans(conjunctionOf(branch), [], indexes).filter((plan) => plan.narrowing > 0);
      return plans.toSorted((a, b) => merit(b) - merit(a))[0]?.access;
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
  if (direction === undefined && range === EVERY_ID) {
    return { access: { kind: 'scan' }, exact: isEmpty(conjunction), sorted: false };
  }
  const others = conjunction.tests.size + conjunction.others.length - (tests.length > 0 ? 1 : 0);
  const exact = others === 0 && tests.every((test) => idBound(test) !== undefined);
  const access: Access = { kind: 'walk', reversed: direction === -1, low: range.low, high: range.high };
  return { access, exact, sorted: direction !== undefined };
}

const isEmpty = ({ tests, others }: Conjunction) => tests.size === 0 && others.length === 0;

interface IdRange {
  readonly low: string;
  readonly high: string | Buffer;
}

const EVERY_ID: IdRange = { low: '', high: Buffer.from([0]) };

/** The ids that a comparison with text leaves. */
function idBound(test: Test): IdRange | undefined {
  if (!('value' in test) || typeof test.value !== 'string') return undefined;
  // Nothing fits between a text and the same with a NUL behind it.
  if (test.kind === 'gt') return { ...EVERY_ID, low: `${test.value}\0` };
  if (test.kind === 'gte') return { ...EVERY_ID, low: test.value };
  if (test.kind === 'lt') return { ...EVERY_ID, high: test.value };
  return test.kind === 'lte' ? { ...EVERY_ID, high: `${test.value}\0` } : undefined;
}

function idRange(tests: readonly Test[]): IdRange {
  return tests.reduce((range, test) => {
    const bound = idBound(test);
    if (bound === undefined) return range;
    const low = byBytes(bound.low, range.low) > 0 ? bound.low : range.low;
    const { high } = range;
    const lower =
      typeof bound.high === 'string' && (typeof high !== 'string' || byBytes(bound.high, high) < 0);
    return { low, high: lower ? bound.high : high };
  }, EVERY_ID);
}

/** The plan for `filter` and `sort`. */
export function planQuery(filter: Filter, sort: Sort, circumstances: Circumstances): Plan {
  const conjunction = conjunctionOf(filter);
  const byIds = planByIds(conjunction, sort);
  if (byIds !== undefined) return byIds;
  const plain = planWithoutIndex(conjunction, sort);
  if (plain.exact && plain.sorted) return plain;
  const best = bestIndexPlan(indexPlans(conjunction, sort, circumstances.indexes), circumstances);
  if (best === undefined) return planUnion(conjunction, circumstances) ?? plain;
  const walksAll = best.access.kind === 'index' && best.otherwise === undefined && isWhole(best.access);
  if (!walksAll || best.exact) return best;
  return { ...best, otherwise: planUnion(conjunction, circumstances) ?? plain };
}

function isWhole(access: IndexAccess): boolean {
  return access.intervals[0] === EVERY_KEY;
}
