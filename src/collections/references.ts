// Where the Reference fields of a collection point.
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
