// Counts what a filter asks for, so that no filter costs more than its limits.
import { refuseFilter } from './refusal.ts';

export interface FilterLimits {
  /** How deep operators that hold filters, and steps through references, may nest. */
  readonly filterDepth: number;
  /** How many conditions and operators there may be; the values of `$in`, `$nin` and `$all` do not count. */
  readonly filterNodes: number;
}

export interface Budget {
  /** Counts one condition or operator. */
  spend(name: string): void;
  /** Refuses a nesting of `depth`. */
  descend(name: string, depth: number): void;
}

export function createBudget({ filterDepth, filterNodes }: FilterLimits): Budget {
  let nodes = 0;
  return {
    spend(name) {
      nodes += 1;
      if (nodes > filterNodes) {
        throw refuseFilter(name, `The filter has more than ${filterNodes} conditions and operators`);
      }
    },
    descend(name, depth) {
      if (depth > filterDepth) {
        throw refuseFilter(name, `The filter is nested deeper than ${filterDepth} levels`);
      }
    },
  };
}
