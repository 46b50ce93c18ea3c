// Chooses how to answer a query. Pure: the same filter, sort and indexes give the same plan.
import type { Json } from '../../lib/json.ts';
import type { Filter, Test } from '../filter.ts';
import type { Sort } from '../ports.ts';
import type { CollectionEntry } from './catalogue.ts';
import type { Access, Plan } from './plan-types.ts';

/** The field tests that must all hold, path by path, and whether they are the whole filter. */
export interface Conjunction {
  readonly tests: ReadonlyMap<string, readonly Test[]>;
  readonly others: readonly Filter[];
}

/** Flattens nested `and`s. */
export function conjunctionOf(filter: Filter): Conjunction {
  const tests = new Map<string, readonly Test[]>();
  const others: Filter[] = [];
  const visit = (node: Filter) => {
    if (node.kind === 'and') node.filters.forEach(visit);
    else if (node.kind === 'field') tests.set(node.path, [...(tests.get(node.path) ?? []), ...node.tests]);
    else others.push(node);
  };
  visit(filter);
  return { tests, others };
}

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

function planByIds(conjunction: Conjunction, sort: Sort): Plan | undefined {
  const tests = conjunction.tests.get('_id') ?? [];
  const test = tests.find((candidate) => idsOf(candidate) !== undefined);
  const values = test === undefined ? undefined : idsOf(test);
  if (values === undefined) return undefined;
  const ids = [...new Set(values.filter((value) => typeof value === 'string'))].sort(byBytes);
  const direction = idDirection(sort);
  if (direction === -1) ids.reverse();
  const exact = tests.length === 1 && conjunction.tests.size === 1 && conjunction.others.length === 0;
  return { access: { kind: 'ids', ids }, exact, sorted: direction !== undefined || ids.length < 2 };
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The plan for `filter` and `sort` over the ready indexes of `entry`. */
export function planQuery(filter: Filter, sort: Sort, entry: CollectionEntry): Plan {
  void entry;
  const conjunction = conjunctionOf(filter);
  const byIds = planByIds(conjunction, sort);
  if (byIds !== undefined) return byIds;
  const exact = conjunction.tests.size === 0 && conjunction.others.length === 0;
  const direction = idDirection(sort);
  const access: Access =
    direction === undefined ? { kind: 'scan' } : { kind: 'walk', reversed: direction === -1 };
  return { access, exact, sorted: direction !== undefined };
}
