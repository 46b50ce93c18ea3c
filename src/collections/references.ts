// Where the Reference fields of a collection point.
import { isId } from '../lib/ids.ts';
import { isJsonObject, type Json } from '../lib/json.ts';
import type { Collection, Field } from './collection.ts';
import type { Registry } from './registry.ts';

/** The live collection behind a Reference field, in the same version; undefined where there is none. */
export function referenceTarget(
  registry: Pick<Registry, 'get'>,
  collection: Collection,
  { reference }: Field,
): Collection | undefined {
  return registry.get(
    collection.version,
    reference.database ?? collection.database,
    reference.collection ?? collection.name,
  );
}

/** The id that a value of a Reference field stands for, in lower case: the text itself, or the `_id` of an object. */
export function referencedId(value: Json): string | undefined {
  const id = isJsonObject(value) && Object.hasOwn(value, '_id') ? value['_id'] : value;
  return isId(id) ? id.toLowerCase() : undefined;
}
