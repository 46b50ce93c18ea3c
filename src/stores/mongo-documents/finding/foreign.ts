// Which conditions of a filter depend on values that only other programs write, and whether there are any of these.
import type { Filter, Test } from '../../filter.ts';
import type { Namespace } from '../../ports.ts';
import type { Scope } from '../connection/types.ts';
import { dateOf } from '../filters/foreign-forms.ts';
import type { Foreign, ForeignAt } from '../filters/said.ts';
import { MOST_EXPANDED } from '../filters/values.ts';
import { PATIENCE_MS, type ValueKinds } from '../value-kinds.ts';

/** A path from the root whose values are compared with text, matched by a pattern, or looked for in a long list. */
interface Sensitive {
  readonly path: string;
  /** Stored dates matter too: the operand is not a date itself, which is compared with both. */
  readonly dates: boolean;
  /** It matters too that there is nothing: a long list is then sent without the other forms of its values. */
  readonly isListed?: boolean;
}

/** Conditions that are looked into; a filter with more is taken at its word. */
const MOST_PATHS = 32;

/** What the filter's conditions meet of other programs, as far as that matters; undefined where it does not. */
export async function foreignFor(
  scope: Scope,
  { ns, filter, kinds }: { readonly ns: Namespace; readonly filter: Filter; readonly kinds: ValueKinds },
): Promise<ForeignAt | undefined> {
  const asked = new Map<string, Sensitive>();
  for (const { path, dates, isListed = false } of sensitivePaths(filter, '')) {
    // Ids of other programs are compared in words of their own.
    if (path === '_id' && !isListed) continue;
    const known = asked.get(path);
    asked.set(path, {
      path,
      dates: dates || known?.dates === true,
      isListed: isListed || known?.isListed === true,
    });
  }
  if (asked.size === 0) return undefined;
  const found = new Map<string, Foreign>();
  await Promise.all(
    [...asked.values()].slice(0, MOST_PATHS).map(async ({ path, dates: withDates, isListed }) => {
      const [dates, others] = await Promise.all([
        withDates && kinds.has(scope, { ns, path }, 'dates', PATIENCE_MS),
        kinds.has(scope, { ns, path }, path === '_id' ? 'notIds' : 'others', PATIENCE_MS),
      ]);
      if (dates || others || isListed) found.set(path, { dates, others });
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
    case 'in':
    case 'nin':
    case 'all':
      return test.values.length > MOST_EXPANDED ? [{ path, dates: true, isListed: true }] : [];
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
