// A filter that has been checked but may still need ids of other collections. Types, and the joining of drafts.
import type { Filter } from '../../stores/filter.ts';
import type { Collection } from '../collection.ts';

export type Group = 'and' | 'or' | 'nor';

/** Waits for the ids of the documents of `target` that `draft` matches: they become the operand for `path`. */
export interface Through {
  readonly kind: 'through';
  readonly path: string;
  readonly target: Collection;
  readonly draft: Draft;
}

export type Draft =
  | Filter
  | { readonly kind: 'group'; readonly group: Group; readonly drafts: readonly Draft[] }
  | Through;

/** True when nothing has to be looked up any more. */
export function isSettled(draft: Draft): draft is Filter {
  return draft.kind !== 'group' && draft.kind !== 'through';
}

/** Joins drafts; a single one under `and` is itself. */
export function joinDrafts(group: Group, drafts: readonly Draft[]): Draft {
  const [only] = drafts;
  if (group === 'and' && drafts.length === 1 && only !== undefined) return only;
  return drafts.every(isSettled) ? { kind: group, filters: drafts } : { kind: 'group', group, drafts };
}
