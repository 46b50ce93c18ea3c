// Parses query parameters into a read request, by the table of read parameters. Every error is a 400 of the same shape.
import {
  buildReadRequest,
  createParameterError,
  MAX_READ_NUMBER,
  parseComposeDepth,
  type ReadParameterKind,
  type ReadQueryParameter,
  type ReadRequest,
} from '../../collections/model/read-request.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { findJsonIssue } from '../../lib/json/json-check.ts';
import type { Query } from '../core/request-url.ts';

const NUMBER = /^[+-]?\d+(\.\d*)?$/;
const EMPTY_REQUEST: ReadRequest = {};
const DIRECTIONS: ReadonlyMap<string, 1 | -1> = new Map([
  ['asc', 1],
  ['1', 1],
  ['desc', -1],
  ['-1', -1],
]);

function parseNumber(name: ReadQueryParameter, text: string): number {
  // The wording of `skip` is the one that clients of the older dialect know.
  const verb = name === 'skip' ? 'must' : 'must be';
  if (!NUMBER.test(text)) throw createParameterError(name, `The \`${name}\` parameter ${verb} a number`);
  if (Number(text) < 0) {
    const minimum = name === 'page' ? 'greater than zero' : 'greater than or equal to zero';
    throw createParameterError(name, `The \`${name}\` parameter must be ${minimum}`);
  }
  return Math.min(Math.abs(Math.trunc(Number(text))), MAX_READ_NUMBER);
}

function parseObject(name: ReadQueryParameter, text: string): JsonObject {
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
  if (!isJsonObject(value)) {
    throw createParameterError(name, `The \`${name}\` parameter must be a JSON object`);
  }
  const issue = findJsonIssue(value);
  if (issue !== undefined) throw createParameterError(name, `The \`${name}\` parameter ${issue.message}`);
  return value;
}

function parseDirection(name: ReadQueryParameter, text: string): 1 | -1 {
  const direction = DIRECTIONS.get(text);
  if (direction !== undefined) return direction;
  throw createParameterError(name, `The \`${name}\` parameter must be \`asc\`, \`desc\`, \`1\` or \`-1\``);
}

const PARSERS: Readonly<Record<ReadParameterKind, (name: ReadQueryParameter, text: string) => Json>> = {
  object: parseObject,
  number: parseNumber,
  sort: (name, text) => (text.trimStart().startsWith('{') ? parseObject(name, text) : text),
  direction: parseDirection,
  depth: (_name, text) => parseComposeDepth(text),
  flag: (_name, text) => text === 'true',
};

/** Parses the parameters of a list, count, by-id or history request. Throws PARAMETER_INVALID. */
export function parseReadRequest(query: Query): ReadRequest {
  if (query.size === 0) return EMPTY_REQUEST;
  return buildReadRequest(({ query: name, kind }) => {
    const text = query.get(name);
    return text === undefined ? undefined : PARSERS[kind](name, text);
  });
}
