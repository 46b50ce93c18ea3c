// Which conditions of a filter depend on values that only other programs write, and whether there are any of these.
import type { Filter, Test } from '../../filter.ts';
import type { Namespace } from '../../ports.ts';
import type { Scope } from '../connection/types.ts';
import { dateOf } from '../filters/foreign-forms.ts';
import type { Foreign, ForeignAt } from '../filters/said.ts';
import type { ValueKinds } from '../value-kinds.ts';

/** A path from the root whose values are compared with text, or matched by a pattern. */
interface Sensitive {
  readonly path: string;
  /** Stored dates matter too: the operand is not a date itself, which is compared with both. */
  readonly dates: boolean;
}

/** Conditions that are looked into; a filter with more is taken at its word. */
const MOST_PATHS = 32;

/** What the filter's conditions meet of other programs; undefined where they meet nothing. */
export async function foreignFor(
  scope: Scope,
  { ns, filter, kinds }: { readonly ns: Namespace; readonly filter: Filter; readonly kinds: ValueKinds },
): Promise<ForeignAt | undefined> {
  const asked = new Map<string, boolean>();
  for (const { path, dates } of sensitivePaths(filter, '')) {
    if (path !== '_id') asked.set(path, dates || (asked.get(path) ?? false));
  }
  if (asked.size === 0) return undefined;
  const found = new Map<string, Foreign>();
  await Promise.all(
    [...asked].slice(0, MOST_PATHS).map(async ([path, withDates]) => {
      const [dates, others] = await Promise.all([
        withDates && kinds.has(scope, { ns, path }, 'dates'),
        kinds.has(scope, { ns, path }, 'others'),
      ]);
      if (dates || others) found.set(path, { dates, others });
    }),
  );
  return found.size === 0 ? undefined : (path) => found.get(path);
}

function sensitivePaths(filter: Filter, within: string): readonly Sensitive[] {
  if (filter.kind !== 'field') return filter.filters.flatMap((part) => sensitivePaths(part, within));
  const path = within === '' ? filter.path : `${within}.${filter.path}`;
  return filter.tests.flatMap((test) => ofTest(test, path));
}

function ofTest(test: Test, path: string): readonly Sensitive[] {
  switch (test.kind) {
    case 'regex':
      return [{ path, dates: true }];
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof test.value === 'string' ? [{ path, dates: dateOf(test.value) === undefined }] : [];
    case 'not':
    case 'elemMatchValue':
      return test.tests.flatMap((inner) => ofTest(inner, path));
    case 'elemMatch':
      return sensitivePaths(test.filter, path);
    default:
      return [];
  }
}

/** How the server's order serves a sort: as it is, merged from two by the one path that is given, or not at all. */
export async function orderOf(
  scope: Scope,
  {
    ns,
    paths,
    kinds,
  }: { readonly ns: Namespace; readonly paths: readonly string[]; readonly kinds: ValueKinds },
): Promise<'plain' | 'evaluated' | { readonly mergedBy: string }> {
  const asked = [...new Set(paths)].filter((path) => path !== '_id');
  const orders = await Promise.all(asked.map((path) => kinds.orderAt(scope, { ns, path })));
  const odd = asked.filter((_, at) => orders[at] !== 'plain');
  const [mergedBy] = odd;
  if (mergedBy === undefined) return 'plain';
  return odd.length === 1 && orders[asked.indexOf(mergedBy)] === 'merged' ? { mergedBy } : 'evaluated';
}
