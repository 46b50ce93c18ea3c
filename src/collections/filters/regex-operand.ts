// Regular expressions of filters: only what the linear-time engine takes, so that no pattern stalls the server.
import { compileLinearRegex, LinearRegexError } from '../../lib/regex/linear-regex.ts';
import type { FilterTest } from '../../stores/filter.ts';
import { createFilterError } from './filter-error.ts';
import type { FilterQuota } from './filter-quota.ts';

const FLAGS = /^[ims]*$/;
const SLASHED_REGEX = /^\/(?<pattern>.+)\/(?<flags>[a-z]*)$/s;

interface RegexContext {
  readonly path: string;
  readonly budget: Pick<FilterQuota, 'spendPattern'>;
}

/** A class of a thousand characters is one instruction, and as slow to compile as hundreds: there each character counts. */
const classCharacters = (pattern: string) => (/[[\\]/.test(pattern) ? pattern.length : 0);

/** A `regex` test for `pattern` with `flags` of i, m and s; anything else is a 400 that names the path. */
export function parseRegex({ path, budget }: RegexContext, pattern: string, flags: string): FilterTest {
  if (!FLAGS.test(flags) || new Set(flags).size !== flags.length) {
    throw createFilterError(path, 'The flags of a pattern are `i`, `m` and `s`, each at most once');
  }
  try {
    budget.spendPattern(path, classCharacters(pattern));
    budget.spendPattern(path, compileLinearRegex(pattern, flags).size);
  } catch (error) {
    throw error instanceof LinearRegexError ? createFilterError(path, error.message) : error;
  }
  return { kind: 'regex', pattern, flags };
}

/** A `regex` test for text of the form `/pattern/flags`; other text is a 400. */
export function parseSlashedRegex(place: RegexContext, text: string): FilterTest {
  const parts = SLASHED_REGEX.exec(text)?.groups;
  if (parts === undefined) {
    throw createFilterError(
      place.path,
      '`$not` needs an object of operators, or a pattern written as `/text/flags`',
    );
  }
  return parseRegex(place, parts['pattern'] ?? '', parts['flags'] ?? '');
}
