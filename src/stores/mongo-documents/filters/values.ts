// Lists of values that a field may hold, and comparisons, as the server is asked for them.
import type { BSONRegExp } from 'mongodb';
import type { Json } from '../../../lib/json.ts';
import type { TypeName } from '../../filter.ts';
import { toBsonId, toBsonValue } from '../bson/values.ts';
import { around, comparedForm, dateOf, isAmbiguous } from './foreign-forms.ts';
import { isSayableList } from './lists.ts';
import { isStorable, leastIdFrom, looksLikeOperator, storedForms } from './operands.ts';
import { anyOf, type Dialect, foreignAt, holds, member, NONE, type Said, UNSAID } from './said.ts';
import { patternsOf, type Sought, soughtUnderCollation, withPatterns } from './text.ts';

/** The texts of a longer list are sent in their other forms only where the collection has such values. */
export const MOST_EXPANDED = 10;

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
export function holdsSought(place: Place, { values, exact, patterns = [] }: Sought): Said {
  if (values.length === 0) return exact ? NONE : UNSAID;
  const listed = { query: holds(place.path, values).query, exact };
  return anyOf([
    listed,
    ...patterns.map((pattern) => ({ query: member(place.path, { $eq: pattern }), exact: true })),
  ]);
}

/** The path holds one of the values, or in an array an element that is one. */
export function holdsOne(place: Place, values: readonly Json[]): Said {
  if (!isSayableList(values)) return UNSAID;
  const listed: Json[] = [];
  const awkward: Json[] = [];
  const numbers: number[] = [];
  for (const value of values) {
    if (!isStorable(value)) continue;
    if (isAmbiguousNumber(value)) numbers.push(value);
    else (looksLikeOperator(value) ? awkward : listed).push(value);
  }
  const list = soughtValues(listed, place);
  const parts = [
    ...(listed.length === 0 ? [] : [holdsSought(place, list)]),
    ...numbers.map((number) => holdsNear(place, number)),
    ...awkward.map((value) =>
      place.dialect.collated
        ? UNSAID
        : { query: member(place.path, { $eq: toBsonValue(value) }), exact: true },
    ),
  ];
  return anyOf(parts);
}

/** True for a number that other programs may hold as a neighbour of it. */
export const isAmbiguousNumber = (value: Json): value is number =>
  typeof value === 'number' && isAmbiguous(value);

/** Every number that is shown as this one, and a few others. */
function holdsNear({ path }: Place, value: number): Said {
  const { below, above } = around(value);
  return { query: member(path, { $gte: below, $lte: above }), exact: false };
}

/** True where it has been found out that other programs have no such values there. */
function hasNoForeign({ path, dialect }: Place): boolean {
  const foreign = foreignAt(dialect, path);
  return foreign?.dates === false && !foreign.others;
}

/** The values as the database holds them. */
export function soughtValues(values: readonly Json[], place: Place): Sought {
  const isId = isIdPath(place);
  if (!place.dialect.collated) {
    const forms: unknown[] = [];
    const patterns: BSONRegExp[] = [];
    const isPlain = values.length > MOST_EXPANDED && hasNoForeign(place);
    for (const value of values) {
      if (isPlain && typeof value === 'string') {
        forms.push(isId ? toBsonId(value) : value);
        continue;
      }
      forms.push(...storedForms(value, isId));
      if (typeof value === 'string') patterns.push(...patternsOf(value));
    }
    return { values: forms, exact: true, ...withPatterns(patterns) };
  }
  const texts = values.filter((value) => typeof value === 'string');
  const nested = values.some((value) => typeof value === 'object' && value !== null);
  if (nested || texts.length > MOST_PATTERNS) return { values: [], exact: false };
  const parts = texts.map((text) => soughtUnderCollation(text, isId));
  if (parts.some((part) => !part.exact)) return { values: [], exact: false };
  const others = values
    .filter((value) => typeof value !== 'string')
    .flatMap((value) => storedForms(value, isId));
  const patterns = parts.flatMap((part) => part.patterns ?? []);
  return {
    values: [...parts.flatMap((part) => part.values), ...others],
    exact: true,
    ...withPatterns(patterns),
  };
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
  if (value === null && (kind === 'gte' || kind === 'lte')) return holdsOne(place, [null]);
  if (!isComparable(value, dialect)) return UNSAID;
  if (typeof value === 'number') return comparesNumber(path, { kind, value });
  const own = { query: member(path, { [`$${kind}`]: toBsonValue(value) }), exact: true };
  if (typeof value !== 'string') return own;
  if (isIdPath(place)) return anyOf([own, comparesIds(kind, value)]);
  const date = dateOf(value);
  const said =
    date === undefined ? own : anyOf([own, { query: member(path, { [`$${kind}`]: date }), exact: true }]);
  const foreign = foreignAt(dialect, path);
  return foreign?.others === true || (foreign?.dates === true && date === undefined)
    ? orForeign(path, said)
    : said;
}

function comparesNumber(path: string, { kind, value }: { kind: Comparison['kind']; value: number }): Said {
  if (!isAmbiguous(value)) {
    return { query: member(path, { [`$${kind}`]: comparedForm(kind, value) }), exact: true };
  }
  const { below, above } = around(value);
  const isAbove = kind === 'gt' || kind === 'gte';
  return { query: member(path, isAbove ? { $gte: below } : { $lte: above }), exact: false };
}

/** What was said, or any value that is shown as text: which of them match is found out from what is shown. */
export function orForeign(path: string, { query }: Said): Said {
  return { query: { $or: [query, member(path, { $type: FOREIGN_TEXT_TYPES })] }, exact: false };
}

/** The texts of ids have the order of the ids. */
function comparesIds(kind: Comparison['kind'], text: string): Said {
  const least = leastIdFrom(text);
  const isAbove = kind === 'gt' || kind === 'gte';
  if (least === undefined) return isAbove ? NONE : { query: { _id: { $type: 'objectId' } }, exact: true };
  if (least.toHexString() === text) return { query: { _id: { [`$${kind}`]: least } }, exact: true };
  return { query: { _id: isAbove ? { $gte: least } : { $lt: least } }, exact: true };
}

/** Types of other programs that are shown as text. */
export const FOREIGN_TEXT_TYPES = [
  'objectId',
  'date',
  'binData',
  'regex',
  'javascript',
  'javascriptWithScope',
  'timestamp',
  'dbPointer',
] as const;

/** The types of the server that are read as one of `names`. */
export function serverTypes(names: readonly TypeName[]): readonly string[] {
  return names.flatMap((name) => {
    if (name === 'string') return ['string', 'symbol', ...FOREIGN_TEXT_TYPES];
    return name === 'null' ? (['null', 'undefined', 'minKey', 'maxKey'] as const) : [name];
  });
}
