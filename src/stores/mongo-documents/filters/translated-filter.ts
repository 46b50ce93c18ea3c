// A filter translated to MongoDB, and how translations are combined. `exact` false means that the query matches a superset.
import { BSONRegExp, type Document, ObjectId } from 'mongodb';

/** A condition. Every document that it is meant to match matches `query`; with `exact`, no other one does. */
export interface TranslatedFilter {
  readonly query: Document;
  readonly exact: boolean;
}

/** How conditions are put. */
export interface TranslateContext {
  /** Paths begin at a document, not at an element of an array. */
  readonly root: boolean;
  /** The non-JSON types at a path from the root. Default: none. */
  readonly nonJsonAt?: NonJsonTypesAt;
  /** The path from the root to the list whose elements are tested. */
  readonly arrayPath?: string;
}

/** Values that are read as text but compared by the server by their own rules. */
export interface NonJsonTypes {
  readonly dates: boolean;
  readonly others: boolean;
  /** Numbers that no double comes near, which are read as null. */
  readonly hugeNumbers?: boolean;
}

export type NonJsonTypesAt = (path: string) => NonJsonTypes | undefined;

/** What there is at a path of the dialect; '' is the element of the list itself. */
export function nonJsonTypesAt(
  { nonJsonAt, arrayPath: within }: TranslateContext,
  path: string,
): NonJsonTypes | undefined {
  return nonJsonAt?.([within, path].filter((part) => part !== undefined && part !== '').join('.'));
}

export const MATCH_ALL: TranslatedFilter = { query: {}, exact: true };
export const MATCH_NONE: TranslatedFilter = { query: { _id: { $in: [] } }, exact: true };

/** Stands for a condition that cannot be translated: anything may match. */
export const UNTRANSLATABLE: TranslatedFilter = { query: {}, exact: false };

/** True for the query that every document matches. */
function isAll(query: Document): boolean {
  return Object.keys(query).length === 0;
}

/** All of them. */
export function allOf(parts: readonly TranslatedFilter[]): TranslatedFilter {
  const queries = parts.map(({ query }) => query).filter((query) => !isAll(query));
  const exact = parts.every((part) => part.exact);
  const [first] = queries;
  if (first === undefined) return { query: {}, exact };
  return { query: queries.length === 1 ? first : { $and: queries }, exact };
}

/** Any of them. */
export function anyOf(parts: readonly TranslatedFilter[]): TranslatedFilter {
  const exact = parts.every((part) => part.exact);
  const [first] = parts;
  if (first === undefined) return MATCH_NONE;
  if (parts.length === 1) return first;
  const queries = parts.map(({ query }) => query);
  return { query: queries.some(isAll) ? {} : { $or: queries }, exact };
}

/** None of them. */
export function noneOf(parts: readonly TranslatedFilter[]): TranslatedFilter {
  const known = parts.filter((part) => part.exact).map(({ query }) => query);
  return { query: known.length === 0 ? {} : { $nor: known }, exact: known.length === parts.length };
}

/** True for a path with a number in it: the server then takes a position in a list and a name for two things. */
export function hasNumericPart(path: string): boolean {
  return path.split('.').some((part) => /^\d+$/.test(part));
}

/**
 * The same condition as one that no index serves: an index on a path with a number in it has one of the two meanings, so
 * that with it documents would be missed.
 */
export function withoutIndex({ query, exact }: TranslatedFilter): TranslatedFilter {
  return isAll(query) ? { query, exact } : { query: { $nor: [{ $nor: [query] }] }, exact };
}

/** The path holds one of these values; a path may have any name. */
export function hasValue(path: string, values: readonly unknown[]): TranslatedFilter {
  const [value] = values;
  if (values.length !== 1) return { query: singleMember(path, { $in: values }), exact: true };
  // Without an operator, since only that way of asking for an id is the server's shortest.
  const isPlain = value instanceof ObjectId || value instanceof BSONRegExp;
  return { query: singleMember(path, isPlain ? value : { $eq: value }), exact: true };
}

/** An object with one member, whatever its name. */
export function singleMember(path: string, condition: unknown): Document {
  return { [path]: condition };
}
