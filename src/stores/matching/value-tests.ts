// Tests of one value, one function per filter operator.

import type { Json } from '../../lib/json/json.ts';
import { foldCase } from '../../lib/regex/case-folding.ts';
import { compileLinearRegex } from '../../lib/regex/linear-regex.ts';
import type { FilterTypeName } from '../filter.ts';
import { compareValues, equalValues, typeRank } from './compare.ts';
import type { ValueTest } from './path-search.ts';

/** Equality. Null also equals a missing value. */
export function equalTo(operand: Json): ValueTest {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'object') return (value) => equalValues(value, operand);
  return (value) => value === operand;
}

/** Case-insensitive equality of text. Other values are compared exactly. */
export function caseInsensitiveEqualTo(operand: Json): ValueTest {
  if (typeof operand !== 'string') return equalTo(operand);
  const folded = foldCase(operand);
  return (value) =>
    typeof value === 'string' &&
    value.length === folded.length &&
    (value === operand || foldCase(value) === folded);
}

/** Equality with one of the operands, in logarithmic time at most. */
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

/** Comparison, which only matches values of one type. Null is `gte` and `lte` null, but not `gt` or `lt`. */
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

/** Whether a value has one of the types. A missing value has none. */
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

/** Whether a pattern matches a text. Throws LinearRegexError for a pattern that the engine rejects. */
export function matchesPattern(pattern: string, flags: string): ValueTest {
  const regex = compileLinearRegex(pattern, flags);
  return (value) => typeof value === 'string' && regex.test(value);
}
