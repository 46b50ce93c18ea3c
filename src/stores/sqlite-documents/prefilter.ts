// SQL conditions that every match passes, so that a scan need not parse every document. Others may pass too.
import type { SQLInputValue } from 'node:sqlite';
import type { Filter } from '../filter.ts';
import type { Access } from './plan-types.ts';

export interface Prefilter {
  /** Empty, or conditions that each begin with ` and `. */
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export const NO_PREFILTER: Prefilter = { sql: '', values: [] };

export function prefilterOf(filter: Filter, access: Access): Prefilter {
  void filter;
  void access;
  return NO_PREFILTER;
}
