// A filter that has been checked but may still need ids of other collections. Types, and the joining of drafts.
import type { Filter, Test } from '../../stores/filter.ts';
import type { Collection } from '../collection.ts';

export type Group = 'and' | 'or' | 'nor';

/** Waits for the ids of the documents of `target` that `draft` matches: they become the operand for `path`. */
export interface Through {
  readonly kind: 'through';
  /** The collection whose Reference field `path` is. */
  readonly source: Collection;
  readonly path: string;
  readonly target: Collection;
  readonly draft: Draft;
  /** A field that is no list and leads nowhere matches too: it is missing, or names a document that is not there. */
  readonly missing: boolean;
  /** Nothing but an element of a list counts. */
  readonly inList: boolean;
}

export type Draft =
  | Filter
  | { readonly kind: 'group'; readonly group: Group; readonly drafts: readonly Draft[] }
  | Through;

/** A test of a path. `refers` is for one element of a Reference field: it refers to a document that matches. */
export type DraftTest =
  | Test
  | { readonly kind: 'refers'; readonly through: Through }
  | { readonly kind: 'not'; readonly tests: readonly DraftTest[] };

/** True when nothing has to be looked up any more. */
export function isSettled(draft: Draft): draft is Filter {
  return draft.kind !== 'group' && draft.kind !== 'through';
}

/** True for tests that a store can be asked as they are. */
export function areSettled(tests: readonly DraftTest[]): tests is readonly Test[] {
  return tests.every((test) => test.kind !== 'refers' && (test.kind !== 'not' || areSettled(test.tests)));
}

/** Joins drafts; a single one under `and` is itself. */
export function joinDrafts(group: Group, drafts: readonly Draft[]): Draft {
  const [only] = drafts;
  if (group === 'and' && drafts.length === 1 && only !== undefined) return only;
  return drafts.every(isSettled) ? { kind: group, filters: drafts } : { kind: 'group', group, drafts };
}
