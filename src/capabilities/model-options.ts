// Parses the arguments of a `Model` query into a read request, by the table of read parameters.
import type { Collection } from '../collections/model/collection.ts';
import {
  buildReadRequest,
  type ComposeDepth,
  MAX_READ_NUMBER,
  READ_PARAMETER_KINDS,
  type ReadParameterKind,
  type ReadRequest,
} from '../collections/model/read-parameters.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { getArgument, HostCallError } from './host-call.ts';

function optionError(name: string, expected: string): HostCallError {
  return new HostCallError('BAD_ARGUMENTS', `\`${name}\` must be ${expected}`);
}

/** A member that must be an object where it is present. */
export function getObjectArgument(args: JsonObject, name: string): JsonObject | undefined {
  const value = getArgument(args, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw optionError(name, 'an object');
}

/** Numbers may be text, and are truncated. */
function parseNumber(name: string, sent: Json): number {
  const value = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof value !== 'number' || !(value >= 0)) throw optionError(name, 'a number of at least 0');
  return Math.min(Math.trunc(value), MAX_READ_NUMBER);
}

/** The option of the first name that is present. */
function getOption(options: JsonObject, names: readonly string[], kind: ReadParameterKind): Json | undefined {
  for (const name of names) {
    const value = getArgument(options, name);
    if (value === undefined) continue;
    if (kind === 'number') return parseNumber(name, value);
    const { accepts, description } = READ_PARAMETER_KINDS[kind];
    if (accepts(value)) return value;
    throw optionError(name, description);
  }
  return undefined;
}

/** `compose` of the options. */
export function getComposeArgument(options: JsonObject): ComposeDepth | undefined {
  return getOption(options, ['compose'], 'depth') as ComposeDepth | undefined;
}

/**
 * Parses `query` and `options`. Other options are ignored, as unknown query parameters are. A page has at most `maxResults`
 * documents, and 0 means as many. Throws BAD_ARGUMENTS.
 */
export function parseModelRequest(args: JsonObject, collection: Collection, maxResults: number): ReadRequest {
  const options = getObjectArgument(args, 'options') ?? {};
  const { pageSize = collection.settings.pageSize, ...request } = buildReadRequest(
    ({ key, kind, modelOptions }) =>
      key === 'filter' ? getObjectArgument(args, 'query') : getOption(options, modelOptions, kind),
  );
  return { ...request, pageSize: pageSize < 1 ? maxResults : Math.min(pageSize, maxResults) };
}
