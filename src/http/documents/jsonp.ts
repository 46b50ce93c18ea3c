// JSONP: a read answered as a call of a function that the client names.
import type { Collection } from '../../collections/model/collection.ts';
import { createParameterError } from '../../collections/model/parameter-error.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { ChunkedText } from '../../lib/chunked-text.ts';
import type { Query } from '../core/query-string.ts';

const CALLBACK_NAME = /^[a-zA-Z]{1,100}$/;

/** The function to call: the request's, else the collection's, else none. Throws PARAMETER_INVALID for a bad name. */
export function parseCallback(query: Query, collection: Collection): string | undefined {
  const name = query.get('callback') ?? collection.settings.callback ?? undefined;
  if (name === undefined || CALLBACK_NAME.test(name)) return name;
  throw createParameterError('callback', 'The `callback` parameter must consist of at most 100 letters');
}

const escapeSeparators = (json: string) =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** JSON text as a JavaScript call. Line separators are escaped: older engines end a string at them. */
export async function wrapJsonp(name: string, json: ChunkedText): Promise<ChunkedText> {
  if (typeof json === 'string') return `${name}(${escapeSeparators(json)});`;
  return [`${name}(`, ...(await mapYielding(json, escapeSeparators)), ');'];
}
