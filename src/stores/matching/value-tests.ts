// Tests of one value, made from the operand of one operator.
import { foldCase } from '../../lib/case-folding.ts';
import type { Json } from '../../lib/json/json.ts';
import { compileLinearRegex } from '../../lib/regex/linear-regex.ts';
import type { FilterTypeName } from '../filter.ts';
import { compareValues, equalValues, typeRank } from './compare.ts';
import type { ValueTest } from './path-search.ts';

/** Equal to null means null or missing. */
export function equalTo(operand: Json): ValueTest {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'object') return (value) => equalValues(value, operand);
  return (value) => value === operand;
}

/** Equal where case does not count; only text can be so, anything else is compared exactly. */
export function caseInsensitiveEqualTo(operand: Json): ValueTest {
  if (typeof operand !== 'string') return equalTo(operand);
  const folded = foldCase(operand);
  return (value) =>
    typeof value === 'string' &&
    value.length === folded.length &&
    (value === operand || foldCase(value) === folded);
}

/** Equal to one of the operands, in time that grows with the logarithm of their number at most. */
export function oneOf(operands: readonly Json[]): ValueTest {
  const scalars = new Set<Json | undefined>();
  const composites: Json[] = [];
  for (const operand of operands) {
    if (typeof operand === 'object' && operand !== null) composites.push(operand);
    else scalars.add(operand);
  }
  if (scalars.has(null)) scalars.add(undefined);
  if (composites.length === 0) return (value) => scalars.has(value);
  composites.sort(compareValues);
  return (value) => {
    if (typeof value !== 'object' || value === null) return scalars.has(value);
    return contains(composites, value);
  };
}

function contains(sorted: readonly Json[], value: Json): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = compareValues(sorted[middle], value);
    if (difference === 0) return true;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Comparisons hold only between values of one type; null is neither above nor below null, but at least and at most it. */
export function comparesTo(kind: 'gt' | 'gte' | 'lt' | 'lte', operand: Json): ValueTest {
  const orEqual = kind === 'gte' || kind === 'lte';
  if (operand === null) return orEqual ? equalTo(null) : () => false;
  const sign = kind === 'gt' || kind === 'gte' ? 1 : -1;
  if (typeof operand === 'number') return orderedNumber(kind, operand);
  const rank = typeRank(operand);
  return (value) => {
    if (typeRank(value) !== rank) return false;
    const difference = compareValues(value, operand) * sign;
    return difference > 0 || (orEqual && difference === 0);
  };
}

function orderedNumber(kind: 'gt' | 'gte' | 'lt' | 'lte', operand: number): ValueTest {
  switch (kind) {
    case 'gt':
      return (value) => typeof value === 'number' && value > operand;
    case 'gte':
      return (value) => typeof value === 'number' && value >= operand;
    case 'lt':
      return (value) => typeof value === 'number' && value < operand;
    default:
      return (value) => typeof value === 'number' && value <= operand;
  }
}

/** Of one of the named types; a missing value has none. */
export function hasType(names: readonly FilterTypeName[]): ValueTest {
  const wanted = new Set<FilterTypeName | undefined>(names);
  return (value) => wanted.has(typeName(value));
}

function typeName(value: Json | undefined): FilterTypeName | undefined {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'object':
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return undefined;
  }
}

/** Text that a pattern matches somewhere. Throws LinearRegexError for a pattern that the engine refuses. */
export function matchesPattern(pattern: string, flags: string): ValueTest {
  const regex = compileLinearRegex(pattern, flags);
  return (value) => typeof value === 'string' && regex.test(value);
}
