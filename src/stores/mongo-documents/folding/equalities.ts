// The conditions of a filter that ask for text whatever its case and that every match must meet.

import { foldText } from '../../../lib/fold.ts';
import type { Filter, Test } from '../../filter.ts';
import { namesPosition } from '../filters/said.ts';
import { otherForms } from '../filters/text.ts';
import { isCaseless } from './folding.ts';

export interface FoldedEquality {
  readonly path: string;
  readonly text: string;
}

/** Those of text that has case at all. */
export function foldedEqualities(filter: Filter): readonly FoldedEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(foldedEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (namesPosition(path)) return [];
  return tests.flatMap((test) => (isFolded(test) ? { path, text: test.value } : []));
}

/** Equalities of any kind that every match must meet: their text may be looked up by the collation too. */
export function textEqualities(filter: Filter): readonly FoldedEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(textEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (namesPosition(path)) return [];
  return tests.flatMap((test) =>
    test.kind === 'eq' && typeof test.value === 'string' ? { path, text: test.value } : [],
  );
}

/** The same filter, asking for the spellings that there are in place of any. */
export function withSpellings(
  filter: Filter,
  { path, text }: FoldedEquality,
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
  const others = otherForms(text).length === 0 ? [] : [foldText(text), text.toUpperCase(), text];
  const values = [...new Set([...spellings, ...others])];
  const tests = filter.tests.map(
    (test): Test => (isFolded(test) && test.value === text ? { kind: 'in', values } : test),
  );
  return { kind: 'field', path, tests };
}

function isFolded(test: Test): test is Test & { readonly kind: 'eq'; readonly value: string } {
  return (
    test.kind === 'eq' && test.fold === true && typeof test.value === 'string' && !isCaseless(test.value)
  );
}
