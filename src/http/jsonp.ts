// JSONP: a read answered as a call of a function that the client names.
import type { Collection } from '../collections/collection.ts';
import { refuseParameter } from '../collections/parameter-error.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { Text } from '../lib/text-pieces.ts';
import type { Query } from './query-string.ts';

const NAME = /^[a-zA-Z]{1,100}$/;

/** The function to call: the request's, else the collection's, else none. Throws PARAMETER_INVALID for a bad name. */
export function callbackName(query: Query, collection: Collection): string | undefined {
  const name = query.get('callback') ?? collection.settings.callback ?? undefined;
  if (name === undefined || NAME.test(name)) return name;
  throw refuseParameter('callback', 'The `callback` parameter must consist of at most 100 letters');
}

const escapeSeparators = (json: string) =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** JSON text as a JavaScript call. Line separators are escaped: older engines end a string at them. */
export async function wrapCallback(name: string, json: Text): Promise<Text> {
  if (typeof json === 'string') return `${name}(${escapeSeparators(json)});`;
  return [`${name}(`, ...(await mapInSlices(json, escapeSeparators)), ');'];
}
