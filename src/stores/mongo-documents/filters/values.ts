// Lists of values that a field may hold, and comparisons, as the server is asked for them.
import type { Json } from '../../../lib/json.ts';
import type { TypeName } from '../../filter.ts';
import { toBsonValue } from '../bson/values.ts';
import { isSayableList } from './lists.ts';
import { dateOf, isStorable, leastIdFrom, looksLikeOperator, storedForms } from './operands.ts';
import { anyOf, type Dialect, holds, member, NONE, type Said, UNSAID } from './said.ts';
import { type Sought, soughtUnderCollation } from './text.ts';

/** Patterns in place of this many texts would take the server longer than a query without the collation. */
const MOST_PATTERNS = 30;

/** Where a test stands. */
export interface Place {
  readonly path: string;
  readonly dialect: Dialect;
}

/** True where the path is that of the document's own id. */
export function isIdPath({ path, dialect }: Place): boolean {
  return dialect.root && path === '_id';
}

/** The path holds what is sought. */
export function holdsSought(place: Place, { values, exact }: Sought): Said {
  if (values.length === 0) return exact ? NONE : UNSAID;
  return { query: holds(place.path, values).query, exact };
}

/** The path holds one of the values, or in an array an element that is one. */
export function holdsOne(place: Place, values: readonly Json[]): Said {
  if (!isSayableList(values)) return UNSAID;
  const listed: Json[] = [];
  const awkward: Json[] = [];
  for (const value of values) {
    if (isStorable(value)) (looksLikeOperator(value) ? awkward : listed).push(value);
  }
  const list = soughtValues(listed, place);
  const parts = [
    ...(listed.length === 0 ? [] : [holdsSought(place, list)]),
    ...awkward.map((value) =>
      place.dialect.collated
        ? UNSAID
        : { query: member(place.path, { $eq: toBsonValue(value) }), exact: true },
    ),
  ];
  return anyOf(parts);
}

/** The values as the database holds them. */
export function soughtValues(values: readonly Json[], place: Place): Sought {
  const isId = isIdPath(place);
  if (!place.dialect.collated) {
    const forms: unknown[] = [];
    for (const value of values) forms.push(...storedForms(value, isId));
    return { values: forms, exact: true };
  }
  const texts = values.filter((value) => typeof value === 'string');
  const nested = values.some((value) => typeof value === 'object' && value !== null);
  if (nested || texts.length > MOST_PATTERNS) return { values: [], exact: false };
  const parts = texts.map((text) => soughtUnderCollation(text, isId));
  if (parts.some((part) => !part.exact)) return { values: [], exact: false };
  const others = values.filter((value) => typeof value !== 'string').map(toBsonValue);
  return { values: [...parts.flatMap((part) => part.values), ...others], exact: true };
}

interface Comparison {
  readonly kind: 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: Json;
}

/** Whether the server can be asked which values stand above or below this one. */
export function isComparable(value: Json, { collated }: Dialect): boolean {
  const isBlurred = typeof value === 'string' || (typeof value === 'object' && value !== null);
  // By an index the server misses lists within lists that it finds without one.
  return isStorable(value) && !Array.isArray(value) && !(collated && isBlurred);
}

/** The path holds a value on that side of the operand, of its type. */
export function compares(place: Place, { kind, value }: Comparison): Said {
  const { path, dialect } = place;
  if (!isComparable(value, dialect)) return UNSAID;
  const own = { query: member(path, { [`$${kind}`]: toBsonValue(value) }), exact: true };
  if (typeof value !== 'string') return own;
  if (isIdPath(place)) return anyOf([own, comparesIds(kind, value)]);
  const date = dateOf(value);
  return date === undefined
    ? own
    : anyOf([own, { query: member(path, { [`$${kind}`]: date }), exact: true }]);
}

/** The texts of ids have the order of the ids. */
function comparesIds(kind: Comparison['kind'], text: string): Said {
  const least = leastIdFrom(text);
  const isAbove = kind === 'gt' || kind === 'gte';
  if (least === undefined) return isAbove ? NONE : { query: { _id: { $type: 'objectId' } }, exact: true };
  if (least.toHexString() === text) return { query: { _id: { [`$${kind}`]: least } }, exact: true };
  return { query: { _id: isAbove ? { $gte: least } : { $lt: least } }, exact: true };
}

const TEXT_TYPES = [
  'string',
  'objectId',
  'date',
  'binData',
  'regex',
  'javascript',
  'javascriptWithScope',
  'symbol',
  'timestamp',
  'dbPointer',
] as const;

/** The types of the server that are read as one of `names`. */
export function serverTypes(names: readonly TypeName[]): readonly string[] {
  return names.flatMap((name) => {
    if (name === 'string') return TEXT_TYPES;
    return name === 'null' ? (['null', 'undefined', 'minKey', 'maxKey'] as const) : [name];
  });
}
