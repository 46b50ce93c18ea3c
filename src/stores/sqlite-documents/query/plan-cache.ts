// Plans of queries, remembered by the filter and the order: a caller that keeps both objects for the same request gets the
// same plan, and the same SQL, without planning again.
import type { Filter } from '../../filter.ts';
import type { Sort } from '../../ports.ts';
import type { CollectionEntry } from '../data-file/catalogue.ts';
import type { Connection } from '../data-file/connection.ts';
import { estimateRows, type OrderedTable, orderedTableFor } from './ordered-table.ts';
import { MAX_SORTED_DOCUMENTS, type Plan, planQuery } from './plan.ts';

/** A plan, with the table that it reads alone. */
export interface PlannedQuery {
  readonly plan: Plan;
  /** The table that holds each match once and nothing else; undefined if there is none. */
  readonly table: OrderedTable | undefined;
}

/** Plans a query of a collection. */
export type Planner = (entry: CollectionEntry, filter: Filter, sort: Sort) => PlannedQuery;

type Indexes = CollectionEntry['indexes'];

interface RememberedPlan extends PlannedQuery {
  readonly sort: Sort;
  /** What the plan took from each index besides its definition. */
  readonly states: readonly number[];
}

/** Plans remembered per filter, for as many orders. */
const MAX_ORDERS = 16;
const BY_ID: Sort = [];

/** Changes when queries may use the index, or when it holds its first array. */
const stateOf = ({ ready, multikey }: Indexes[number]) => 2 * multikey + (ready ? 1 : 0);

const isValid = ({ states }: RememberedPlan, indexes: Indexes) =>
  indexes.every((index, at) => stateOf(index) === states[at]);

/**
 * Creates the planner of one connection. The catalogue makes a new list of indexes when one is added or dropped and when another
 * process wrote, so the plans of the old list are forgotten with it. A plan that depends on the data is made anew each time.
 */
export function createPlanner(connection: Connection): Planner {
  const byIndexes = new WeakMap<Indexes, WeakMap<Filter, RememberedPlan[]>>();

  const rememberedFor = (indexes: Indexes, filter: Filter): RememberedPlan[] => {
    const byFilter = byIndexes.get(indexes) ?? new WeakMap<Filter, RememberedPlan[]>();
    byIndexes.set(indexes, byFilter);
    const remembered = byFilter.get(filter) ?? [];
    byFilter.set(filter, remembered);
    return remembered;
  };

  return (entry, filter, requestedSort) => {
    const { indexes } = entry;
    const sort = requestedSort.length === 0 ? BY_ID : requestedSort;
    const known = byIndexes
      .get(indexes)
      ?.get(filter)
      ?.find((one) => one.sort === sort);
    if (known !== undefined && isValid(known, indexes)) return known;
    let dependsOnData = false;
    const plan = planQuery(filter, sort, {
      indexes,
      estimate(access) {
        dependsOnData = true;
        return estimateRows(connection, access, MAX_SORTED_DOCUMENTS);
      },
    });
    const table = plan.exact ? orderedTableFor(entry, plan.access) : undefined;
    if (dependsOnData) return { plan, table };
    const made: RememberedPlan = { plan, table, sort, states: indexes.map(stateOf) };
    const remembered = rememberedFor(indexes, filter);
    const outdated = known === undefined ? 0 : remembered.indexOf(known);
    if (known !== undefined || remembered.length === MAX_ORDERS) remembered.splice(outdated, 1);
    remembered.push(made);
    return made;
  };
}
