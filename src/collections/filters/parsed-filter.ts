// A filter that has been checked but may still need ids of other collections. Types, and the joining of drafts.
import type { Filter, FilterTest } from '../../stores/filter.ts';
import type { Collection } from '../model/collection.ts';

export type LogicalOperator = 'and' | 'or' | 'nor';

/** Waits for the ids of the documents of `target` that `draft` matches: they become the operand for `path`. */
export interface ReferenceCondition {
  readonly kind: 'through';
  /** The collection whose Reference field `path` is. */
  readonly source: Collection;
  readonly path: string;
  readonly target: Collection;
  readonly filter: ParsedFilter;
  /** A field that is no list and leads nowhere matches too: it is missing, or names a document that is not there. */
  readonly matchesMissing: boolean;
  /** Nothing but an element of a list counts. */
  readonly elementsOnly: boolean;
}

export type ParsedFilter =
  | Filter
  | { readonly kind: 'group'; readonly group: LogicalOperator; readonly drafts: readonly ParsedFilter[] }
  | ReferenceCondition;

/** A test of a path. `refers` is for one element of a Reference field: it refers to a document that matches. */
export type ParsedTest =
  | FilterTest
  | { readonly kind: 'refers'; readonly through: ReferenceCondition }
  | { readonly kind: 'not'; readonly tests: readonly ParsedTest[] };

/** True when nothing has to be looked up any more. */
export function isResolved(draft: ParsedFilter): draft is Filter {
  return draft.kind !== 'group' && draft.kind !== 'through';
}

/** True for tests that a store can be asked as they are. */
export function areResolved(tests: readonly ParsedTest[]): tests is readonly FilterTest[] {
  return tests.every((test) => test.kind !== 'refers' && (test.kind !== 'not' || areResolved(test.tests)));
}

/** Joins drafts; a single one under `and` is itself. */
export function joinParsedFilters(group: LogicalOperator, drafts: readonly ParsedFilter[]): ParsedFilter {
  const [only] = drafts;
  if (group === 'and' && drafts.length === 1 && only !== undefined) return only;
  return drafts.every(isResolved) ? { kind: group, filters: drafts } : { kind: 'group', group, drafts };
}
