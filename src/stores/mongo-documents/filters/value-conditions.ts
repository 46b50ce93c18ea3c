// Translates conditions on values: equality with one of a list, and comparisons.
import type { BSONRegExp } from 'mongodb';
import type { Json } from '../../../lib/json/json.ts';
import type { ComparisonKind, FilterTypeName } from '../../filter.ts';
import { toBsonId, toBsonValue } from '../bson/bson-conversion.ts';
import { isTranslatableList } from './long-lists.ts';
import {
  comparisonOperand,
  dateOf,
  FINITE_NUMBERS,
  HUGE_NUMBERS,
  isRoundedNumber,
  isStorable,
  looksLikeOperator,
  neighbouringNumbers,
  smallestIdFrom,
  storedForms,
} from './stored-values.ts';
import { type CandidateValues, storedPatterns, withPatterns } from './text-conditions.ts';
import {
  anyOf,
  hasValue,
  MATCH_NONE,
  nonJsonTypesAt,
  singleMember,
  type TranslateContext,
  type TranslatedFilter,
  UNTRANSLATABLE,
} from './translated-filter.ts';

/** The texts of a longer list are sent in their other forms only where the collection has such values. */
export const MAX_EXPANDED_VALUES = 10;

/** What a test applies to. */
export interface TestTarget {
  readonly path: string;
  readonly context: TranslateContext;
}

/** True where the path is that of the document's own id. */
export function isIdPath({ path, context }: TestTarget): boolean {
  return context.root && path === '_id';
}

/** The path holds one of the candidates. */
export function hasCandidate(
  target: TestTarget,
  { values, exact, patterns = [] }: CandidateValues,
): TranslatedFilter {
  if (values.length === 0) return exact ? MATCH_NONE : UNTRANSLATABLE;
  const listed = { query: hasValue(target.path, values).query, exact };
  return anyOf([
    listed,
    ...patterns.map((pattern) => ({ query: singleMember(target.path, { $eq: pattern }), exact: true })),
  ]);
}

/** The path holds one of the values, or in an array an element that is one. */
export function hasOneOf(target: TestTarget, values: readonly Json[]): TranslatedFilter {
  if (!isTranslatableList(values)) return UNTRANSLATABLE;
  const listed: Json[] = [];
  const awkward: Json[] = [];
  const numbers: number[] = [];
  for (const value of values) {
    if (!isStorable(value)) continue;
    if (isAmbiguousNumber(value)) numbers.push(value);
    else (looksLikeOperator(value) ? awkward : listed).push(value);
  }
  const list = candidateValues(listed, target);
  const isHuge = listed.includes(null) && nonJsonTypesAt(target.context, target.path)?.hugeNumbers === true;
  const parts = [
    ...(isHuge ? hugeNumbersAt(target.path) : []),
    ...(listed.length === 0 ? [] : [hasCandidate(target, list)]),
    ...numbers.map((number) => hasNumberNear(target, number)),
    ...awkward.map((value) => ({
      query: singleMember(target.path, { $eq: toBsonValue(value) }),
      exact: true,
    })),
  ];
  return anyOf(parts);
}

/** True for a number that other programs may hold as a neighbour of it. */
const isAmbiguousNumber = (value: Json): value is number =>
  typeof value === 'number' && isRoundedNumber(value);

/** Every number that is read as this one, and a few more. */
function hasNumberNear({ path }: TestTarget, value: number): TranslatedFilter {
  const { below, above } = neighbouringNumbers(value);
  return { query: singleMember(path, { $gte: below, $lte: above }), exact: false };
}

/** Whether a probe has found that there are no values of non-JSON types. */
function hasNoNonJsonTypes({ path, context }: TestTarget): boolean {
  const nonJson = nonJsonTypesAt(context, path);
  return nonJson?.dates === false && !nonJson.others;
}

/** The values as the database holds them. */
function candidateValues(values: readonly Json[], target: TestTarget): CandidateValues {
  const isId = isIdPath(target);
  const forms: unknown[] = [];
  const patterns: BSONRegExp[] = [];
  const isPlain = values.length > MAX_EXPANDED_VALUES && hasNoNonJsonTypes(target);
  for (const value of values) {
    if (isPlain && typeof value === 'string') {
      forms.push(isId ? toBsonId(value) : value);
      continue;
    }
    forms.push(...storedForms(value, isId));
    if (typeof value === 'string') patterns.push(...storedPatterns(value));
  }
  return { values: forms, exact: true, ...withPatterns(patterns) };
}

interface Comparison {
  readonly kind: ComparisonKind;
  readonly value: Json;
}

/** Whether the server can compare stored values with this one. */
function isComparable(value: Json): boolean {
  // By an index the server misses lists within lists that it finds without one.
  return isStorable(value) && !Array.isArray(value);
}

/** The path holds a value on that side of the operand, of its type. */
export function compares(target: TestTarget, { kind, value }: Comparison): TranslatedFilter {
  const { path, context } = target;
  if (value === null && (kind === 'gte' || kind === 'lte')) return hasOneOf(target, [null]);
  if (!isComparable(value)) return UNTRANSLATABLE;
  if (typeof value === 'number') return comparesNumber(path, { kind, value });
  const own = { query: singleMember(path, { [`$${kind}`]: toBsonValue(value) }), exact: true };
  if (typeof value !== 'string') return own;
  if (isIdPath(target)) return anyOf([own, comparesIds(kind, value)]);
  const date = dateOf(value);
  const translated =
    date === undefined
      ? own
      : anyOf([own, { query: singleMember(path, { [`$${kind}`]: date }), exact: true }]);
  const nonJson = nonJsonTypesAt(context, path);
  return nonJson?.others === true || (nonJson?.dates === true && date === undefined)
    ? orNonJson(path, translated)
    : translated;
}

function comparesNumber(
  path: string,
  { kind, value }: { kind: Comparison['kind']; value: number },
): TranslatedFilter {
  if (!isRoundedNumber(value)) {
    return { query: singleMember(path, { [`$${kind}`]: comparisonOperand(kind, value) }), exact: true };
  }
  const { below, above } = neighbouringNumbers(value);
  const isAbove = kind === 'gt' || kind === 'gte';
  return { query: singleMember(path, isAbove ? { $gte: below } : { $lte: above }), exact: false };
}

/** The condition, or any value of a type that is read as text: this process then evaluates those. */
export function orNonJson(path: string, { query }: TranslatedFilter): TranslatedFilter {
  return { query: { $or: [query, singleMember(path, { $type: NON_JSON_TEXT_TYPES })] }, exact: false };
}

/** The texts of ids have the order of the ids. */
function comparesIds(kind: Comparison['kind'], text: string): TranslatedFilter {
  const smallest = smallestIdFrom(text);
  const isAbove = kind === 'gt' || kind === 'gte';
  if (smallest === undefined)
    return isAbove ? MATCH_NONE : { query: { _id: { $type: 'objectId' } }, exact: true };
  if (smallest.toHexString() === text) return { query: { _id: { [`$${kind}`]: smallest } }, exact: true };
  return { query: { _id: isAbove ? { $gte: smallest } : { $lt: smallest } }, exact: true };
}

/** Non-JSON types that are read as text. */
export const NON_JSON_TEXT_TYPES = [
  'objectId',
  'date',
  'binData',
  'regex',
  'javascript',
  'javascriptWithScope',
  'timestamp',
  'dbPointer',
] as const;

const hugeNumbersAt = (path: string): readonly TranslatedFilter[] =>
  HUGE_NUMBERS.map((range) => ({ query: singleMember(path, range), exact: true }));

/** Whether the type of a number decides nothing: those that are read as null are asked for alike, or not at all. */
function areNumbersAlike(names: readonly FilterTypeName[]): boolean {
  return names.includes('number') === names.includes('null');
}

/** The path holds a value that is read as one of these types. NaN, infinities and huge decimals are read as null. */
export function hasType({ path }: TestTarget, names: readonly FilterTypeName[]): TranslatedFilter {
  if (names.length === 0) return MATCH_NONE;
  const ofTypes = (types: readonly FilterTypeName[]) => ({
    query: singleMember(path, { $type: serverTypes(types) }),
    exact: true,
  });
  if (areNumbersAlike(names)) return ofTypes(names);
  const others = names.filter((name) => name !== 'number');
  const numbers: readonly TranslatedFilter[] = names.includes('number')
    ? [{ query: singleMember(path, FINITE_NUMBERS), exact: true }]
    : [{ query: singleMember(path, { $eq: Number.NaN }), exact: true }, ...hugeNumbersAt(path)];
  return anyOf([...(others.length === 0 ? [] : [ofTypes(others)]), ...numbers]);
}

/** The types of the server that are read as one of `names`. */
export function serverTypes(names: readonly FilterTypeName[]): readonly string[] {
  return names.flatMap((name) => SERVER_TYPES[name]);
}

const SERVER_TYPES: Readonly<Record<FilterTypeName, readonly string[]>> = {
  string: ['string', 'symbol', ...NON_JSON_TEXT_TYPES],
  number: ['number'],
  object: ['object'],
  array: ['array'],
  bool: ['bool'],
  null: ['null', 'undefined', 'minKey', 'maxKey'],
};
