// Finds the paths of a filter or sort whose result depends on values of non-JSON types, and probes for such values.
import { andThen, type MaybePromise } from '../../../lib/async/maybe-promise.ts';
import { type Filter, type PlainTest, plainTestsOf } from '../../filter.ts';
import type { Namespace } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { dateOf } from '../filters/stored-values.ts';
import { translateFilter } from '../filters/translate.ts';
import type { NonJsonTypes, NonJsonTypesAt, TranslatedFilter } from '../filters/translated-filter.ts';
import { MAX_EXPANDED_VALUES } from '../filters/value-conditions.ts';
import { PROBE_TIMEOUT_MS, type TypeProbe } from './type-probe.ts';

/** A path from the root whose values are compared with text or null, matched by a pattern, or looked for in a long list. */
interface SensitivePath {
  readonly path: string;
  /** Values that are shown as text matter. */
  readonly isText: boolean;
  /** Stored dates matter too: the operand is not a date itself, which is compared with both. */
  readonly dates: boolean;
  /** It matters too that there is nothing: a long list is then sent without the other forms of its values. */
  readonly isListed: boolean;
  /** It is compared with null, as which huge numbers are read. */
  readonly isNull: boolean;
}

/** Conditions that are looked into; a filter with more is taken at its word. */
const MAX_PATHS = 32;

/** A translation, and what it was made with: undefined if non-JSON types do not affect it. */
export interface ProbedTranslation extends TranslatedFilter {
  readonly nonJsonAt?: NonJsonTypesAt;
}

/** Translates filters of one store, as `translateFilter` does, with what there is of non-JSON types in the collection. */
export interface FilterTranslator {
  translate(scope: OperationScope, ns: Namespace, filter: Filter): MaybePromise<ProbedTranslation>;
}

/**
 * Creates a translator. A filter that is asked again is translated once: a translation without non-JSON types depends on
 * nothing but the filter.
 */
export function createFilterTranslator(typeProbe: TypeProbe): FilterTranslator {
  const known = new WeakMap<Filter, { readonly isSensitive: boolean; readonly plain: TranslatedFilter }>();
  const plainOf = (filter: Filter) => {
    const found = known.get(filter);
    if (found !== undefined) return found;
    const plain = translateFilter(filter);
    const made = { isSensitive: sensitivePathsOf(filter).length > 0, plain };
    // Each request asks for ids by a filter of its own.
    if (!(filter.kind === 'field' && filter.path === '_id')) known.set(filter, made);
    return made;
  };
  return {
    translate(scope, ns, filter) {
      const { isSensitive, plain } = plainOf(filter);
      if (!isSensitive) return plain;
      return andThen(findNonJsonTypes(scope, { ns, filter, typeProbe }), (nonJsonAt) =>
        nonJsonAt === undefined ? plain : { ...translateFilter(filter, nonJsonAt), nonJsonAt },
      );
    },
  };
}

/** The non-JSON types at the paths of a filter, as far as they affect its result; undefined if they do not. */
export async function findNonJsonTypes(
  scope: OperationScope,
  {
    ns,
    filter,
    typeProbe,
  }: { readonly ns: Namespace; readonly filter: Filter; readonly typeProbe: TypeProbe },
): Promise<NonJsonTypesAt | undefined> {
  const found = new Map<string, NonJsonTypes>();
  await Promise.all(
    sensitivePathsOf(filter).map(async ({ path, dates: withDates, isListed, isNull, isText }) => {
      const [dates, others, hugeNumbers] = await Promise.all([
        withDates && typeProbe.has(scope, { ns, path }, 'dates', PROBE_TIMEOUT_MS),
        isText && typeProbe.has(scope, { ns, path }, path === '_id' ? 'notIds' : 'others', PROBE_TIMEOUT_MS),
        isNull && typeProbe.has(scope, { ns, path }, 'hugeNumbers', PROBE_TIMEOUT_MS),
      ]);
      if (dates || others || hugeNumbers || isListed) found.set(path, { dates, others, hugeNumbers });
    }),
  );
  return found.size === 0 ? undefined : (path) => found.get(path);
}

/** Each path once, with all that matters there. */
function sensitivePathsOf(filter: Filter): readonly SensitivePath[] {
  const sensitive = new Map<string, SensitivePath>();
  for (const [path, test] of plainTestsOf(filter)) {
    const found = sensitivePath(path, test);
    // Ids are translated into comparisons of both ObjectIds and text anyway.
    if (found === undefined || (path === '_id' && !found.isListed)) continue;
    const known = sensitive.get(path) ?? found;
    sensitive.set(path, {
      path,
      isText: found.isText || known.isText,
      dates: found.dates || known.dates,
      isListed: found.isListed || known.isListed,
      isNull: found.isNull || known.isNull,
    });
  }
  return [...sensitive.values()].slice(0, MAX_PATHS);
}

const NOT_SENSITIVE = { isText: false, dates: false, isListed: false, isNull: false };

function sensitivePath(path: string, test: PlainTest): SensitivePath | undefined {
  switch (test.kind) {
    case 'in':
    case 'nin':
    case 'all': {
      const isListed = test.values.length > MAX_EXPANDED_VALUES;
      const isNull = test.values.includes(null);
      return isListed || isNull ? { path, isText: isListed, dates: isListed, isListed, isNull } : undefined;
    }
    case 'regex':
      return { ...NOT_SENSITIVE, path, isText: true, dates: true };
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (test.value === null) return { ...NOT_SENSITIVE, path, isNull: true };
      if (test.kind === 'eq' || test.kind === 'ne' || typeof test.value !== 'string') return undefined;
      return { ...NOT_SENSITIVE, path, isText: true, dates: dateOf(test.value) === undefined };
    default:
      return undefined;
  }
}

/** Whether the server's order of the values at each of `paths` is the right one; known at once where ids alone decide. */
export function isSortedByServer(
  scope: OperationScope,
  {
    ns,
    paths,
    typeProbe,
  }: { readonly ns: Namespace; readonly paths: readonly string[]; readonly typeProbe: TypeProbe },
): MaybePromise<boolean> {
  const distinct = [...new Set(paths)].filter((path) => path !== '_id');
  if (distinct.length === 0) return true;
  const probing = Promise.all(distinct.map((path) => typeProbe.isInOrder(scope, { ns, path })));
  return probing.then((orders) => !orders.includes(false));
}
