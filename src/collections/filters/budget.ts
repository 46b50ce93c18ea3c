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
  /** Counts so many characters or instructions of a pattern: compiling takes up to some 40 µs for each. */
  spendPattern(name: string, size: number): void;
  /** Refuses a nesting of `depth`. */
  descend(name: string, depth: number): void;
}

/** What a single pattern may have: a thousand instructions, and as many characters that have to do with classes. */
const MAX_PATTERNS_SIZE = 2000;

export function createBudget({ filterDepth, filterNodes }: FilterLimits): Budget {
  let nodes = 0;
  let patternsSize = 0;
  return {
    spend(name) {
      nodes += 1;
      if (nodes > filterNodes) {
        throw refuseFilter(name, `The filter has more than ${filterNodes} conditions and operators`);
      }
    },
    spendPattern(name, size) {
      patternsSize += size;
      if (patternsSize > MAX_PATTERNS_SIZE) {
        throw refuseFilter(name, 'The patterns of the filter are too large together');
      }
    },
    descend(name, depth) {
      if (depth > filterDepth) {
        throw refuseFilter(name, `The filter is nested deeper than ${filterDepth} levels`);
      }
    },
  };
}
