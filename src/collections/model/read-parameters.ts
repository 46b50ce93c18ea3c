// The parameters of a read: one row for each. HTTP, `beforeGet` hooks and `Model` all parse this table, each under its own
// names, so that a new parameter takes one row here and its use in `reads/`.

import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';

export type ComposeDepth = boolean | 'all' | number;

const NUMBER = /^\d{1,9}$/;

/** Reads `true`, `all`, or a number of levels; any other text is off. */
export function parseComposeDepth(text: string): ComposeDepth {
  if (text === 'all') return 'all';
  return NUMBER.test(text) ? Number(text) : text === 'true';
}

/** True for a boolean, `all`, or a whole number of levels. */
export function isComposeDepth(value: Json): value is ComposeDepth {
  return typeof value === 'boolean' || value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0);
}

interface ValueOfKind {
  readonly object: JsonObject;
  readonly number: number;
  readonly sort: string | JsonObject;
  readonly direction: 1 | -1;
  readonly depth: ComposeDepth;
  readonly flag: boolean;
}

export type ReadParameterKind = keyof ValueOfKind;

interface ReadParameter {
  /** The member of ReadRequest. */
  readonly key: string;
  readonly kind: ReadParameterKind;
  /** The name in a query string. */
  readonly query: string;
  /** The name in the `options` of `beforeGet`; null for the filter, which stands beside them. */
  readonly hookOption: string | null;
  /** The names in the `options` of a `Model` query: the first one that is present counts. */
  readonly modelOptions: readonly string[];
}

export const READ_PARAMETERS = [
  { key: 'filter', kind: 'object', query: 'filter', hookOption: null, modelOptions: [] },
  // 0 and anything above the maximum mean the maximum.
  { key: 'pageSize', kind: 'number', query: 'count', hookOption: 'limit', modelOptions: ['limit', 'count'] },
  { key: 'page', kind: 'number', query: 'page', hookOption: 'page', modelOptions: ['page'] },
  { key: 'skip', kind: 'number', query: 'skip', hookOption: 'skip', modelOptions: ['skip'] },
  { key: 'sort', kind: 'sort', query: 'sort', hookOption: 'sort', modelOptions: ['sort'] },
  {
    key: 'sortOrder',
    kind: 'direction',
    query: 'sortOrder',
    hookOption: 'sortOrder',
    modelOptions: ['sortOrder'],
  },
  { key: 'fields', kind: 'object', query: 'fields', hookOption: 'fields', modelOptions: ['fields'] },
  { key: 'compose', kind: 'depth', query: 'compose', hookOption: 'compose', modelOptions: ['compose'] },
  {
    key: 'includeHistory',
    kind: 'flag',
    query: 'includeHistory',
    hookOption: 'includeHistory',
    modelOptions: ['includeHistory'],
  },
  {
    key: 'historyFilters',
    kind: 'object',
    query: 'historyFilters',
    hookOption: 'historyFilters',
    modelOptions: ['historyFilters'],
  },
] as const satisfies readonly ReadParameter[];

type Row = (typeof READ_PARAMETERS)[number];

/** The name of a read parameter in a query string. */
export type ReadQueryParameter = Row['query'];

/** A parsed read, not yet checked against a collection. Absent members were not sent. */
export type ReadRequest = { readonly [R in Row as R['key']]?: ValueOfKind[R['kind']] };

interface KindRule {
  /** The value as a request has it; undefined for one that is not of the kind. */
  parse(value: Json): Json | undefined;
  /** What the value must be, for messages. */
  readonly description: string;
}

const accept =
  (isOfKind: (value: Json) => boolean): KindRule['parse'] =>
  (value) =>
    isOfKind(value) ? value : undefined;

const DIRECTIONS: ReadonlyMap<Json | undefined, 1 | -1> = new Map<Json | undefined, 1 | -1>([
  [1, 1],
  ['1', 1],
  ['asc', 1],
  [-1, -1],
  ['-1', -1],
  ['desc', -1],
]);

/** The direction that a word or number of a request names, wherever it stands; undefined for another value. */
export const sortDirection = (value: Json | undefined): 1 | -1 | undefined => DIRECTIONS.get(value);

/** Numbers are cut to it: no page lies beyond, and sums of such numbers are exact. */
export const MAX_READ_NUMBER = 1_000_000_000_000;

/** A number, or text that is one, cut as in a query string: stores know no fractions of documents. */
function parseReadNumber(value: Json): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= 0)) return undefined;
  return Math.min(Math.trunc(number), MAX_READ_NUMBER);
}

/** How the value of each kind is read where it is JSON: in hooks and in `Model`. */
export const READ_PARAMETER_KINDS: Readonly<Record<ReadParameterKind, KindRule>> = {
  object: { parse: accept(isJsonObject), description: 'an object' },
  number: { parse: parseReadNumber, description: 'a number of at least 0' },
  sort: {
    parse: accept((value) => typeof value === 'string' || isJsonObject(value)),
    description: 'the name of a field, or an object',
  },
  direction: { parse: sortDirection, description: '`asc`, `desc`, 1 or -1' },
  depth: { parse: accept(isComposeDepth), description: 'true, false, `all`, or a number of levels' },
  flag: { parse: accept((value) => typeof value === 'boolean'), description: 'true or false' },
};

/**
 * Builds a request from what `parse` makes of each parameter; undefined leaves it out. Throws PARAMETER_INVALID with the items
 * of all parameters for which `parse` throws it.
 */
export function buildReadRequest(parse: (parameter: Row) => Json | undefined): ReadRequest {
  const items: ErrorItem[] = [];
  const entries = READ_PARAMETERS.flatMap((parameter) => {
    try {
      const value = parse(parameter);
      return value === undefined ? [] : [[parameter.key, value] as const];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'PARAMETER_INVALID') throw error;
      items.push(...error.items);
      return [];
    }
  });
  if (items.length > 0) throw new AppError('PARAMETER_INVALID', { items });
  return Object.fromEntries(entries) as ReadRequest;
}

const MAX_SHOWN_CHARACTERS = 200;

/** A 400 for the query parameter, or the option, `name`. */
export function createParameterError(name: string, details: string): AppError {
  const title = `Invalid ${name.charAt(0).toUpperCase()}${name.slice(1)} Parameter Provided`;
  const item = { status: 'Bad Request', code: 'Invalid Parameter', title, details };
  return new AppError('PARAMETER_INVALID', { items: [{ field: name, message: details, ...item }] });
}

/** A 400 for a filter. `field` is the path or the operator that is wrong. */
export function createFilterError(field: string, message: string): AppError {
  const { items } = createParameterError('filter', message);
  const shown = field.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return new AppError('FILTER_INVALID', { items: items.map((item) => ({ ...item, field: shown })) });
}
