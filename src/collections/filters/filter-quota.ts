// Counts what a filter asks for, so that no filter costs more than its limits.
import { createFilterError } from './filter-error.ts';

export interface FilterLimits {
  /** How deep operators that hold filters, and steps through references, may nest. */
  readonly filterDepth: number;
  /** How many conditions and operators there may be; the values of `$in`, `$nin` and `$all` do not count. */
  readonly filterNodes: number;
}

export interface FilterQuota {
  /** Counts one condition or operator. */
  countNode(name: string): void;
  /** Counts so many characters or instructions of a pattern: compiling takes up to some 40 µs for each. */
  spendPattern(name: string, size: number): void;
  /** Refuses a nesting of `depth`. */
  checkDepth(name: string, depth: number): void;
}

/** What a single pattern may have: a thousand instructions, and as many characters that have to do with classes. */
const MAX_PATTERNS_SIZE = 2000;

export function createFilterQuota({ filterDepth, filterNodes }: FilterLimits): FilterQuota {
  let nodes = 0;
  let patternsSize = 0;
  return {
    countNode(name) {
      nodes += 1;
      if (nodes > filterNodes) {
        throw createFilterError(name, `The filter has more than ${filterNodes} conditions and operators`);
      }
    },
    spendPattern(name, size) {
      patternsSize += size;
      if (patternsSize > MAX_PATTERNS_SIZE) {
        throw createFilterError(name, 'The patterns of the filter are too large together');
      }
    },
    checkDepth(name, depth) {
      if (depth > filterDepth) {
        throw createFilterError(name, `The filter is nested deeper than ${filterDepth} levels`);
      }
    },
  };
}
