// What is odd about specifications only when they are seen together. Nothing here refuses one.
import type { Collection } from '../collection.ts';
import { referenceTarget } from '../references.ts';
import type { Registry } from '../registry.ts';

export interface NeighbourRemark {
  readonly path: readonly string[];
  readonly message: string;
}

function danglingReferences(collection: Collection, registry: Registry): readonly NeighbourRemark[] {
  return [...collection.fields.values()]
    .filter((field) => field.type === 'Reference' && !referenceTarget(registry, collection, field))
    .map((field) => ({
      path: ['fields', field.name, 'settings', 'collection'],
      message: `\`${field.name}\` refers to a collection that does not exist in version ${collection.version}`,
    }));
}

function sharedDocuments(collection: Collection, registry: Registry): readonly NeighbourRemark[] {
  const elsewhere = registry
    .sharing(collection.namespace)
    .filter(({ database }) => database !== collection.database);
  return elsewhere.map(({ path }) => ({
    path: [],
    message: `shares its documents with ${path}, as \`database.enableCollectionDatabases\` is off`,
  }));
}

function sharedRecords(collection: Collection, registry: Registry): readonly NeighbourRemark[] {
  if (collection.settings.media) return [];
  const media = registry.sharing(collection.namespace).filter(({ settings }) => settings.media);
  return media.map(({ path }) => ({
    path: ['settings', 'type'],
    message: `shares its documents with the media collection ${path}, so that only uploads there create any`,
  }));
}

function revisionHome(collection: Collection, registry: Registry): readonly NeighbourRemark[] {
  const { storeRevisions, revisionCollection } = collection.settings;
  if (!storeRevisions) return [];
  const homes = registry.sharing({ ...collection.namespace, collection: revisionCollection });
  return homes.map(({ path }) => ({
    path: ['settings', 'revisionCollection'],
    message: `keeps its revisions where ${path} is, which therefore can only be read`,
  }));
}

/** Hooks that the collection names and that are not there; none where it is not known which are. */
export function missingHooks(
  { settings }: Collection,
  known: ReadonlySet<string> | undefined,
): readonly NeighbourRemark[] {
  if (known === undefined) return [];
  return Object.entries(settings.hooks ?? {}).flatMap(([event, uses]) =>
    uses
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => ({
        path: ['settings', 'hooks', event],
        message: `${event}: there is no hook \`${name}\``,
      })),
  );
}

/** Remarks on one of the collections in `registry`, with the part of its specification that they are about. */
export function checkNeighbours(collection: Collection, registry: Registry): readonly NeighbourRemark[] {
  return [
    ...danglingReferences(collection, registry),
    ...sharedDocuments(collection, registry),
    ...sharedRecords(collection, registry),
    ...revisionHome(collection, registry),
  ];
}
