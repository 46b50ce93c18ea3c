// From query parameters to a read request. Every refusal is a 400 item of the same shape.
import type { ReadRequest } from '../collections/documents.ts';
import { refuseParameter } from '../collections/parameter-error.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { checkJson } from '../lib/json-check.ts';
import { compose, flag, type Parameter, type Query } from './query-string.ts';

const NUMBER = /^[+-]?\d+(\.\d*)?$/;
/** Beyond it no page exists anywhere, and sums of such numbers are still exact. */
const LARGEST = 1_000_000_000_000;
const NOTHING: ReadRequest = {};
const ORDERS: ReadonlyMap<string, 1 | -1> = new Map([
  ['asc', 1],
  ['1', 1],
  ['desc', -1],
  ['-1', -1],
]);

type Draft = { -readonly [Key in keyof ReadRequest]: ReadRequest[Key] };

function wholeNumber(query: Query, name: 'count' | 'page' | 'skip', belowZero: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  // The wording of `skip` is the one that clients of the older dialect know.
  const verb = name === 'skip' ? 'must' : 'must be';
  if (!NUMBER.test(text)) throw refuseParameter(name, `The \`${name}\` parameter ${verb} a number`);
  const value = Math.trunc(Number(text));
  if (Number(text) < 0) throw refuseParameter(name, `The \`${name}\` parameter must be ${belowZero}`);
  return Math.min(Math.abs(value), LARGEST);
}

function parseObject(name: Parameter, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuseParameter(name, `The \`${name}\` parameter must be valid JSON`);
  }
  if (Array.isArray(value) && name === 'filter') {
    throw refuseParameter(name, 'Aggregation pipelines are not supported: `filter` must be a JSON object');
  }
  if (!isJsonObject(value)) throw refuseParameter(name, `The \`${name}\` parameter must be a JSON object`);
  const problem = checkJson(value);
  if (problem !== undefined) throw refuseParameter(name, `The \`${name}\` parameter ${problem.message}`);
  return value;
}

function object(query: Query, name: Parameter): JsonObject | undefined {
  const text = query.get(name);
  return text === undefined ? undefined : parseObject(name, text);
}

function sort(query: Query): string | JsonObject | undefined {
  const text = query.get('sort');
  return text?.trimStart().startsWith('{') ? parseObject('sort', text) : text;
}

function sortOrder(query: Query): 1 | -1 | undefined {
  const text = query.get('sortOrder');
  if (text === undefined) return undefined;
  const order = ORDERS.get(text);
  if (order === undefined) {
    throw refuseParameter('sortOrder', 'The `sortOrder` parameter must be `asc`, `desc`, `1` or `-1`');
  }
  return order;
}

function assign<Key extends keyof Draft>(draft: Draft, key: Key, value: Draft[Key] | undefined): void {
  if (value !== undefined) draft[key] = value;
}

/** Reads the parameters of a list, count, by-id or history request. Throws PARAMETER_INVALID. */
export function readRequest(query: Query): ReadRequest {
  if (query.size === 0) return NOTHING;
  const draft: Draft = {};
  assign(draft, 'filter', object(query, 'filter'));
  assign(draft, 'count', wholeNumber(query, 'count', 'greater than or equal to zero'));
  assign(draft, 'page', wholeNumber(query, 'page', 'greater than zero'));
  assign(draft, 'skip', wholeNumber(query, 'skip', 'greater than or equal to zero'));
  assign(draft, 'sort', sort(query));
  assign(draft, 'sortOrder', sortOrder(query));
  assign(draft, 'fields', object(query, 'fields'));
  assign(draft, 'compose', compose(query));
  assign(draft, 'includeHistory', flag(query, 'includeHistory'));
  assign(draft, 'historyFilters', object(query, 'historyFilters'));
  return draft;
}
