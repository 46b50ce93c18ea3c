// The query string of a read of documents: its parameters, decoded and parsed, remembered by its text. Of those that a list does not
// know the answer says among its metadata that they have no effect, and the log names each once.

import {
  buildReadRequest,
  createParameterError,
  MAX_READ_NUMBER,
  parseComposeDepth,
  READ_PARAMETERS,
  type ReadParameterKind,
  type ReadQueryParameter,
  type ReadRequest,
  sortDirection,
} from '../../collections/model/read-parameters.ts';
import type { AppError } from '../../errors/errors.ts';
import { findInexactInteger } from '../../lib/json/inexact-integers.ts';
import {
  findJsonIssue,
  isJsonObject,
  type Json,
  type JsonIssue,
  type JsonObject,
} from '../../lib/json/json.ts';
import { describePlace, parseJsonText } from '../../lib/json/json-syntax.ts';
import { didYouMean, quoteName } from '../../lib/nearest-name.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import type { HttpLogger } from '../core/http-deps.ts';
import {
  isKnownParameter,
  KNOWN_PARAMETERS,
  parsePairs,
  parseQuery,
  type Query,
  rawQuery,
} from '../core/request-url.ts';

/** What a query string holds. */
interface ReadQuery {
  /** Its known parameters. */
  readonly query: Query;
  /** Names of its other parameters, which have no effect. */
  readonly unknown: readonly string[];
  /** What is to be read. Throws PARAMETER_INVALID. */
  readRequest(): ReadRequest;
}

function createReadQuery(query: Query, unknown: readonly string[]): ReadQuery {
  let request: ReadRequest | undefined;
  return {
    query,
    unknown,
    readRequest() {
      request ??= parseReadRequest(query);
      return request;
    },
  };
}

const EMPTY_REQUEST: ReadRequest = {};
const EMPTY: ReadQuery = { query: new Map(), unknown: [], readRequest: () => EMPTY_REQUEST };

/** Query strings that are remembered, and the characters up to which one is. */
const MAX_QUERIES = 1000;
const MAX_QUERY_CHARACTERS = 2000;

/** Throws for what other servers call a filter: ignored, it would find, or show, everything. */
function assertNoOtherFilter(query: string): void {
  const names = [...parsePairs(query)].map(([name]) => name);
  const other = names.find((name) => name.startsWith('filter[') || name.startsWith('filters'));
  if (other === undefined) return;
  const details = `${quoteName(other)} is no parameter: send \`filter\` with a JSON object, such as {"name":"value"}`;
  throw createParameterError('filter', details);
}

/** Parses the query string of a URL. Throws PARAMETER_INVALID and BAD_REQUEST. */
export type ParseReadQuery = (url: string) => ReadQuery;

/**
 * Makes a `parseQuery` for the paths of documents, which parses a query string once while it is remembered. It also throws for
 * filters in the forms of other servers.
 */
export function createReadQueryParser(): ParseReadQuery {
  const remembered = createTextCache<ReadQuery>({
    max: MAX_QUERIES,
    maxCharacters: MAX_QUERY_CHARACTERS,
  });
  return (url) => {
    const text = rawQuery(url);
    if (text === undefined || text === '') return EMPTY;
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const query = parseQuery(url);
    assertNoOtherFilter(text);
    const parsed = createReadQuery(query, unknownParameters(text));
    remembered.set(text, parsed);
    return parsed;
  };
}

const NUMBER = /^[+-]?\d+(\.\d*)?$/;

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

const MAX_SHOWN_CHARACTERS = 200;

function createValueError(name: ReadQueryParameter, { path, message }: JsonIssue): AppError {
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return createParameterError(name, `\`${shown}\` in the \`${name}\` parameter ${message}`);
}

function parseObject(name: ReadQueryParameter, text: string): JsonObject {
  const parsed = parseJsonText(text);
  if ('error' in parsed) {
    const details = `The \`${name}\` parameter must be valid JSON: ${describePlace(parsed.error)}`;
    throw createParameterError(name, details);
  }
  const { value } = parsed;
  if (Array.isArray(value) && name === 'filter') {
    throw createParameterError(
      name,
      'Aggregation pipelines are not supported: `filter` must be a JSON object',
    );
  }
  if (!isJsonObject(value)) {
    throw createParameterError(name, `The \`${name}\` parameter must be a JSON object`);
  }
  const issue = findJsonIssue(value, () => findInexactInteger(text));
  if (issue !== undefined) throw createValueError(name, issue);
  return value;
}

function parseDirection(name: ReadQueryParameter, text: string): 1 | -1 {
  const direction = sortDirection(text);
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
  return buildReadRequest(({ query: name, kind }) => {
    const text = query.get(name);
    return text === undefined ? undefined : PARSERS[kind](name, text);
  });
}

/** Names of one request that are told. */
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 100;
const DIGITS = /^\d+$/;

const shown = (name: string) => name.slice(0, MAX_NAME_CHARACTERS).toWellFormed();

/** The unknown names of a query string, each once, in order; long ones shortened. Throws BAD_REQUEST for text that does not decode. */
function unknownParameters(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [name] of parsePairs(text)) {
    // Digits alone are the time of day, with which clients get around caches.
    const isName = name !== '' && !DIGITS.test(name);
    if (isName && names.size < MAX_NAMES && !isKnownParameter(name)) names.add(shown(name));
  }
  return [...names];
}

/** The parameter that hooks and `Model` know by this name. */
const otherName = (name: string) =>
  READ_PARAMETERS.find(
    ({ hookOption, modelOptions }) =>
      hookOption === name || (modelOptions as readonly string[]).includes(name),
  )?.query;

/** What a list says of a parameter that it does not know. */
export function parameterWarning(name: string): string {
  const meant = otherName(name);
  const hint = meant === undefined ? didYouMean(name, KNOWN_PARAMETERS) : `: did you mean \`${meant}\`?`;
  return `\`${name}\` is no parameter and has no effect${hint}`;
}

/** Names that are remembered, and so told to the log once. No further ones are told. */
const MAX_LOGGED_NAMES = 1000;

/** Makes the function that tells the log of unknown parameters, of each once. */
export function createParameterLog(logger: Pick<HttpLogger, 'warn'>): (names: readonly string[]) => void {
  const told = new Set<string>();
  return (names) => {
    for (const name of names) {
      if (told.has(name) || told.size >= MAX_LOGGED_NAMES) continue;
      told.add(name);
      logger.warn({ parameter: name }, parameterWarning(name));
    }
  };
}
