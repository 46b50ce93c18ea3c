// What is odd about specifications only when they are seen together. Nothing here refuses one.
import type { Collection } from '../model/collection.ts';
import { referenceFields, referenceTarget } from '../model/references.ts';
import type { Registry } from '../model/registry.ts';

export interface CrossCheckWarning {
  readonly path: readonly string[];
  readonly message: string;
}

function warnDanglingReferences(collection: Collection, registry: Registry): readonly CrossCheckWarning[] {
  return referenceFields(collection)
    .filter((field) => !referenceTarget(registry, collection, field))
    .map((field) => ({
      path: ['fields', field.name, 'settings', 'collection'],
      message: `\`${field.name}\` refers to a collection that does not exist in version ${collection.version}`,
    }));
}

function warnSharedDocuments(collection: Collection, registry: Registry): readonly CrossCheckWarning[] {
  const elsewhere = registry
    .withNamespace(collection.namespace)
    .filter(({ database }) => database !== collection.database);
  return elsewhere.map(({ path }) => ({
    path: [],
    message: `shares its documents with ${path}, as \`database.enableCollectionDatabases\` is off`,
  }));
}

function warnSharedRecords(collection: Collection, registry: Registry): readonly CrossCheckWarning[] {
  if (collection.settings.media) return [];
  const media = registry.withNamespace(collection.namespace).filter(({ settings }) => settings.media);
  return media.map(({ path }) => ({
    path: ['settings', 'type'],
    message: `shares its documents with the media collection ${path}, so that only uploads there create any`,
  }));
}

function warnReadOnlyByRevisions(collection: Collection, registry: Registry): readonly CrossCheckWarning[] {
  const { storeRevisions, revisionCollection } = collection.settings;
  if (!storeRevisions) return [];
  const homes = registry.withNamespace({ ...collection.namespace, collection: revisionCollection });
  return homes.map(({ path }) => ({
    path: ['settings', 'revisionCollection'],
    message: `keeps its revisions where ${path} is, which therefore can only be read`,
  }));
}

/** Hooks that the collection names and that are not there; none where it is not known which are. */
export function warnMissingHooks(
  { settings }: Collection,
  known: ReadonlySet<string> | undefined,
): readonly CrossCheckWarning[] {
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
export function crossCheck(collection: Collection, registry: Registry): readonly CrossCheckWarning[] {
  return [
    ...warnDanglingReferences(collection, registry),
    ...warnSharedDocuments(collection, registry),
    ...warnSharedRecords(collection, registry),
    ...warnReadOnlyByRevisions(collection, registry),
  ];
}
