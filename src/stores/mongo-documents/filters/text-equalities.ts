// Finds the text equalities, case-insensitive or not, that every match of a filter must satisfy.
import { foldCase } from '../../../lib/case-folding.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { isCaseless } from './case-insensitive.ts';
import { otherForms } from './text-conditions.ts';
import { hasNumericPart } from './translated-filter.ts';

export interface TextEquality {
  readonly path: string;
  readonly text: string;
}

/** Those of text that has case at all. */
export function caseInsensitiveEqualities(filter: Filter): readonly TextEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(caseInsensitiveEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (hasNumericPart(path)) return [];
  return tests.flatMap((test) => (isCaseInsensitive(test) ? { path, text: test.value } : []));
}

/** Equalities of any kind that every match must meet: their text may be looked up by the collation too. */
export function textEqualities(filter: Filter): readonly TextEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(textEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (hasNumericPart(path)) return [];
  return tests.flatMap((test) =>
    test.kind === 'eq' && typeof test.value === 'string' ? { path, text: test.value } : [],
  );
}

/** The same filter, asking for the spellings that there are in place of any. */
export function withSpellings(
  filter: Filter,
  { path, text }: TextEquality,
  spellings: readonly string[],
): Filter {
  if (filter.kind === 'and') {
    return {
      kind: 'and',
      filters: filter.filters.map((part) => withSpellings(part, { path, text }, spellings)),
    };
  }
  if (filter.kind !== 'field' || filter.path !== path) return filter;
  // Ids and dates of other programs are found by the texts that they read as.
  const others = otherForms(text).length === 0 ? [] : [foldCase(text), text.toUpperCase(), text];
  const values = [...new Set([...spellings, ...others])];
  const tests = filter.tests.map(
    (test): FilterTest => (isCaseInsensitive(test) && test.value === text ? { kind: 'in', values } : test),
  );
  return { kind: 'field', path, tests };
}

function isCaseInsensitive(
  test: FilterTest,
): test is FilterTest & { readonly kind: 'eq'; readonly value: string } {
  return (
    test.kind === 'eq' && test.fold === true && typeof test.value === 'string' && !isCaseless(test.value)
  );
}
