// A read as `beforeGet` hooks see it, `{filter, options}`, and back.

import { isDepth } from '../../lib/depth.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { ReadRequest } from '../model/documents.ts';

type Options = Omit<ReadRequest, 'filter'>;

interface OptionKind {
  readonly accepts: (value: Json) => boolean;
  readonly description: string;
}

const NUMBER: OptionKind = {
  accepts: (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value),
  description: 'a number from 0',
};
const OBJECT: OptionKind = { accepts: isJsonObject, description: 'an object' };
const FLAG: OptionKind = { accepts: (value) => typeof value === 'boolean', description: 'true or false' };
const COMPOSE: OptionKind = { accepts: isDepth, description: 'true, false, `all`, or a number of levels' };
const SORT: OptionKind = {
  accepts: (value) => typeof value === 'string' || isJsonObject(value),
  description: 'the name of a field, or an object',
};
const ORDER: OptionKind = { accepts: (value) => value === 1 || value === -1, description: '1 or -1' };

/** What a hook calls an option, what the rest of the server does, and what it may be. */
const OPTIONS: readonly (readonly [name: string, key: keyof Options, kind: OptionKind])[] = [
  ['limit', 'count', NUMBER],
  ['page', 'page', NUMBER],
  ['skip', 'skip', NUMBER],
  ['sort', 'sort', SORT],
  ['sortOrder', 'sortOrder', ORDER],
  ['fields', 'fields', OBJECT],
  ['compose', 'compose', COMPOSE],
  ['includeHistory', 'includeHistory', FLAG],
  ['historyFilters', 'historyFilters', OBJECT],
];

const ownMember = (object: JsonObject, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** JSON text for the hooks. Options that the client did not send are absent. */
export function encodeHookRequest({ filter = {}, ...sent }: ReadRequest): string {
  const options = Object.fromEntries(OPTIONS.map(([name, key]) => [name, sent[key]]));
  return JSON.stringify({ filter, options });
}

/** What is wrong with what a hook returned; undefined when `requestOf` can read it. */
export function checkHookRequest(result: Json): string | undefined {
  const { filter, options = {} } = isJsonObject(result) ? result : {};
  if (!isJsonObject(filter)) return 'must return an object with a `filter` that is an object';
  if (!isJsonObject(options)) return 'must return `options` that are an object';
  for (const [name, , { accepts: takes, description: wanted }] of OPTIONS) {
    const value = ownMember(options, name);
    if (value !== undefined && !takes(value)) return `must return options whose \`${name}\` is ${wanted}`;
  }
  return undefined;
}

/** The read that a hook asks for. Options of other names are ignored, as unknown parameters of a URL are. */
export function decodeHookRequest(result: JsonObject): ReadRequest {
  const { filter, options } = result as { filter: JsonObject; options?: JsonObject };
  const entries = OPTIONS.flatMap(([name, key]) => {
    const value = ownMember(options ?? {}, name);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...(Object.fromEntries(entries) as Options), filter };
}
