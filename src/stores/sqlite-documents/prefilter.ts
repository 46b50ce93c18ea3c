// SQL conditions that every match passes, so that a scan need not parse every document. Others may pass too.
import type { SQLInputValue } from 'node:sqlite';

export interface Prefilter {
  /** Empty, or conditions that each begin with ` and `. */
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export const NO_PREFILTER: Prefilter = { sql: '', values: [] };
