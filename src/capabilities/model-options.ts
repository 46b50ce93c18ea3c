// The options of a `Model` query as a read request, held against the same rules as the parameters of HTTP.
import type { Collection } from '../collections/model/collection.ts';
import type { ReadRequest } from '../collections/model/documents.ts';
import { type Depth, isDepth } from '../lib/depth.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { getArgument } from './call-arguments.ts';
import { HostCallError } from './host-call-error.ts';

/** Beyond it no page exists anywhere, and sums of such numbers are still exact. */
const MAX_NUMBER = 1_000_000_000_000;

function optionError(name: string, wanted: string): HostCallError {
  return new HostCallError('BAD_ARGUMENTS', `\`${name}\` must be ${wanted}`);
}

/** A member that must be an object where it is given. */
export function getObjectArgument(args: JsonObject, name: string): JsonObject | undefined {
  const value = getArgument(args, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw optionError(name, 'an object');
}

function getNumberArgument(options: JsonObject, name: string): number | undefined {
  const given = getArgument(options, name);
  if (given === undefined) return undefined;
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof value !== 'number' || !(value >= 0)) throw optionError(name, 'a number of at least 0');
  return Math.min(Math.trunc(value), MAX_NUMBER);
}

function getSortArgument(options: JsonObject): string | JsonObject | undefined {
  const value: Json | undefined = getArgument(options, 'sort');
  if (value === undefined || typeof value === 'string' || isJsonObject(value)) return value;
  throw optionError('sort', 'the name of a field, or an object');
}

/** `compose` of the options, where it is given. */
export function getComposeArgument(options: JsonObject): Depth | undefined {
  const value = getArgument(options, 'compose');
  if (value === undefined || isDepth(value)) return value;
  throw optionError('compose', 'true, false, `all`, or a number of levels');
}

/** Documents of a page: what the guest asks for, else what the collection gives, at most `maxResults`. 0 means the most. */
function resolvePageSize(options: JsonObject, collection: Collection, maxResults: number): number {
  const asked = getNumberArgument(options, 'limit') ?? getNumberArgument(options, 'count');
  const count = asked ?? collection.settings.pageSize;
  return count < 1 ? maxResults : Math.min(count, maxResults);
}

type Draft = { -readonly [Key in keyof ReadRequest]: ReadRequest[Key] };

function assign<Key extends keyof Draft>(draft: Draft, key: Key, value: Draft[Key] | undefined): void {
  if (value !== undefined) draft[key] = value;
}

/**
 * Reads `query` and `options` (`limit` or its alias `count`, `skip`, `page`, `sort`, `fields`, `compose`; others are
 * ignored, as unknown parameters of HTTP are). Throws BAD_ARGUMENTS.
 */
export function parseModelRequest(args: JsonObject, collection: Collection, maxResults: number): ReadRequest {
  const options = getObjectArgument(args, 'options') ?? {};
  const draft: Draft = { count: resolvePageSize(options, collection, maxResults) };
  assign(draft, 'filter', getObjectArgument(args, 'query'));
  assign(draft, 'skip', getNumberArgument(options, 'skip'));
  assign(draft, 'page', getNumberArgument(options, 'page'));
  assign(draft, 'sort', getSortArgument(options));
  assign(draft, 'fields', getObjectArgument(options, 'fields'));
  assign(draft, 'compose', getComposeArgument(options));
  return draft;
}
