// Parses query parameters into a read request. Every error is PARAMETER_INVALID with the name of the parameter.
import type { ReadRequest } from '../../collections/model/documents.ts';
import { createParameterError } from '../../collections/model/parameter-error.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { findJsonIssue } from '../../lib/json/json-check.ts';
import { parseCompose, parseFlag, type Query, type QueryParameter } from '../core/query-string.ts';

const NUMBER = /^[+-]?\d+(\.\d*)?$/;
/** No page lies beyond it, and sums of such numbers are exact. */
const MAX_NUMBER = 1_000_000_000_000;
const EMPTY_REQUEST: ReadRequest = {};
const ORDERS: ReadonlyMap<string, 1 | -1> = new Map([
  ['asc', 1],
  ['1', 1],
  ['desc', -1],
  ['-1', -1],
]);

type Draft = { -readonly [Key in keyof ReadRequest]: ReadRequest[Key] };

function parseWholeNumber(
  query: Query,
  name: 'count' | 'page' | 'skip',
  belowZero: string,
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  // The wording of `skip` is the one that clients of the older dialect know.
  const verb = name === 'skip' ? 'must' : 'must be';
  if (!NUMBER.test(text)) throw createParameterError(name, `The \`${name}\` parameter ${verb} a number`);
  const value = Math.trunc(Number(text));
  if (Number(text) < 0) throw createParameterError(name, `The \`${name}\` parameter must be ${belowZero}`);
  return Math.min(Math.abs(value), MAX_NUMBER);
}

function parseObject(name: QueryParameter, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createParameterError(name, `The \`${name}\` parameter must be valid JSON`);
  }
  if (Array.isArray(value) && name === 'filter') {
    throw createParameterError(
      name,
      'Aggregation pipelines are not supported: `filter` must be a JSON object',
    );
  }
  if (!isJsonObject(value))
    throw createParameterError(name, `The \`${name}\` parameter must be a JSON object`);
  const issue = findJsonIssue(value);
  if (issue !== undefined) throw createParameterError(name, `The \`${name}\` parameter ${issue.message}`);
  return value;
}

function parseObjectParameter(query: Query, name: QueryParameter): JsonObject | undefined {
  const text = query.get(name);
  return text === undefined ? undefined : parseObject(name, text);
}

function parseSort(query: Query): string | JsonObject | undefined {
  const text = query.get('sort');
  return text?.trimStart().startsWith('{') ? parseObject('sort', text) : text;
}

function parseSortOrder(query: Query): 1 | -1 | undefined {
  const text = query.get('sortOrder');
  if (text === undefined) return undefined;
  const order = ORDERS.get(text);
  if (order === undefined) {
    throw createParameterError('sortOrder', 'The `sortOrder` parameter must be `asc`, `desc`, `1` or `-1`');
  }
  return order;
}

function assign<Key extends keyof Draft>(draft: Draft, key: Key, value: Draft[Key] | undefined): void {
  if (value !== undefined) draft[key] = value;
}

/** Reads the parameters of a list, count, by-id or history request. Throws PARAMETER_INVALID. */
export function parseReadRequest(query: Query): ReadRequest {
  if (query.size === 0) return EMPTY_REQUEST;
  const draft: Draft = {};
  assign(draft, 'filter', parseObjectParameter(query, 'filter'));
  assign(draft, 'count', parseWholeNumber(query, 'count', 'greater than or equal to zero'));
  assign(draft, 'page', parseWholeNumber(query, 'page', 'greater than zero'));
  assign(draft, 'skip', parseWholeNumber(query, 'skip', 'greater than or equal to zero'));
  assign(draft, 'sort', parseSort(query));
  assign(draft, 'sortOrder', parseSortOrder(query));
  assign(draft, 'fields', parseObjectParameter(query, 'fields'));
  assign(draft, 'compose', parseCompose(query));
  assign(draft, 'includeHistory', parseFlag(query, 'includeHistory'));
  assign(draft, 'historyFilters', parseObjectParameter(query, 'historyFilters'));
  return draft;
}
