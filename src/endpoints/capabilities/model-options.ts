// The options of a `Model` query as a read request, held against the same rules as the parameters of HTTP.
import type { Collection } from '../../collections/collection.ts';
import type { ReadRequest } from '../../collections/documents.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { isLevels, type Levels } from '../../lib/levels.ts';
import { argument } from './call-arguments.ts';
import { Refusal } from './refusal.ts';

/** Beyond it no page exists anywhere, and sums of such numbers are still exact. */
const LARGEST = 1_000_000_000_000;

function refuse(name: string, wanted: string): Refusal {
  return new Refusal('BAD_ARGUMENTS', `\`${name}\` must be ${wanted}`);
}

/** A member that must be an object where it is given. */
export function objectArgument(args: JsonObject, name: string): JsonObject | undefined {
  const value = argument(args, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw refuse(name, 'an object');
}

function numberArgument(options: JsonObject, name: string): number | undefined {
  const given = argument(options, name);
  if (given === undefined) return undefined;
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof value !== 'number' || !(value >= 0)) throw refuse(name, 'a number of at least 0');
  return Math.min(Math.trunc(value), LARGEST);
}

function sortArgument(options: JsonObject): string | JsonObject | undefined {
  const value: Json | undefined = argument(options, 'sort');
  if (value === undefined || typeof value === 'string' || isJsonObject(value)) return value;
  throw refuse('sort', 'the name of a field, or an object');
}

/** `compose` of the options, where it is given. */
export function composeArgument(options: JsonObject): Levels | undefined {
  const value = argument(options, 'compose');
  if (value === undefined || isLevels(value)) return value;
  throw refuse('compose', 'true, false, `all`, or a number of levels');
}

/** Documents of a page: what the guest asks for, else what the collection gives, at most `maxResults`. 0 means the most. */
function countWithin(options: JsonObject, collection: Collection, maxResults: number): number {
  const asked = numberArgument(options, 'limit') ?? numberArgument(options, 'count');
  const count = asked ?? collection.settings.count;
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
export function modelRequest(args: JsonObject, collection: Collection, maxResults: number): ReadRequest {
  const options = objectArgument(args, 'options') ?? {};
  const draft: Draft = { count: countWithin(options, collection, maxResults) };
  assign(draft, 'filter', objectArgument(args, 'query'));
  assign(draft, 'skip', numberArgument(options, 'skip'));
  assign(draft, 'page', numberArgument(options, 'page'));
  assign(draft, 'sort', sortArgument(options));
  assign(draft, 'fields', objectArgument(options, 'fields'));
  assign(draft, 'compose', composeArgument(options));
  return draft;
}
