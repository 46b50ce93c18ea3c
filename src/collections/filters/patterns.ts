// Regular expressions of filters: only what the linear-time engine takes, so that no pattern stalls the server.
import { compileLinear, LinearRegexError } from '../../lib/linear-regex.ts';
import type { Test } from '../../stores/filter.ts';
import type { Budget } from './budget.ts';
import { refuseFilter } from './refusal.ts';

const FLAGS = /^[ims]*$/;
const SLASHED = /^\/(?<pattern>.+)\/(?<flags>[a-z]*)$/s;

interface Place {
  readonly path: string;
  readonly budget: Pick<Budget, 'spendPattern'>;
}

/** A class of a thousand characters is one instruction, and as slow to compile as hundreds: there each character counts. */
const classLength = (pattern: string) => (/[[\\]/.test(pattern) ? pattern.length : 0);

/** A `regex` test for `pattern` with `flags` of i, m and s; anything else is a 400 that names the path. */
export function patternTest({ path, budget }: Place, pattern: string, flags: string): Test {
  if (!FLAGS.test(flags) || new Set(flags).size !== flags.length) {
    throw refuseFilter(path, 'The flags of a pattern are `i`, `m` and `s`, each at most once');
  }
  try {
    budget.spendPattern(path, classLength(pattern));
    budget.spendPattern(path, compileLinear(pattern, flags).size);
  } catch (error) {
    throw error instanceof LinearRegexError ? refuseFilter(path, error.message) : error;
  }
  return { kind: 'regex', pattern, flags };
}

/** A `regex` test for text of the form `/pattern/flags`; other text is a 400. */
export function slashedTest(place: Place, text: string): Test {
  const parts = SLASHED.exec(text)?.groups;
  if (parts === undefined) {
    throw refuseFilter(
      place.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  return patternTest(place, parts['pattern'] ?? '', parts['flags'] ?? '');
}
