// The live collections, keyed by address, and the targets of Reference fields. Entries are replaced whole, never mutated.

import { namespaceKey } from '../../stores/namespace.ts';
import type { Namespace } from '../../stores/ports.ts';
import type { Collection, CollectionAddress, Field } from './collection.ts';
import { FIELD_TYPES } from './fields/field-types.ts';

export interface CollectionRegistry {
  get(version: string, database: string, name: string): Collection | undefined;
  /** Sorted by path. */
  list(): readonly Collection[];
  put(collection: Collection): void;
  remove(address: CollectionAddress): void;
  /** Every live collection whose documents live in this name space: same name, another version or folder. */
  withNamespace(namespace: Namespace): readonly Collection[];
  /** True when another collection keeps its revisions under this one's name: its path then only reads. */
  isRevisionCollection(collection: Collection): boolean;
  /** True when its documents are media records: of its own, or of a media collection that shares them. */
  holdsRecords(collection: Collection): boolean;
}

/** A text key for one document of a name space, fit for a Map. */
export function documentKey(namespace: Namespace, id: string): string {
  return `${namespaceKey(namespace)}/${id.toLowerCase()}`;
}

const addressKey = (version: string, database: string, name: string) => `/${version}/${database}/${name}`;

export function createCollectionRegistry(): CollectionRegistry {
  const entries = new Map<string, Collection>();
  let sorted: readonly Collection[] = [];
  let revisionSpaces = new Set<string>();
  let recordSpaces = new Set<string>();

  const refresh = () => {
    sorted = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    revisionSpaces = new Set(
      sorted
        .filter((entry) => entry.settings.storeRevisions)
        .map((entry) => namespaceKey({ ...entry.namespace, collection: entry.settings.revisionCollection })),
    );
    const media = sorted.filter((entry) => entry.settings.media);
    recordSpaces = new Set(media.map((entry) => namespaceKey(entry.namespace)));
  };

  return {
    get: (version, database, name) => entries.get(addressKey(version, database, name)),
    list: () => sorted,
    put(collection) {
      entries.set(collection.path, collection);
      refresh();
    },
    remove({ version, database, name }) {
      entries.delete(addressKey(version, database, name));
      refresh();
    },
    withNamespace(namespace) {
      const key = namespaceKey(namespace);
      return sorted.filter((entry) => namespaceKey(entry.namespace) === key);
    },
    isRevisionCollection: (collection) => revisionSpaces.has(namespaceKey(collection.namespace)),
    holdsRecords: (collection) =>
      collection.settings.media ||
      (recordSpaces.size > 0 && recordSpaces.has(namespaceKey(collection.namespace))),
  };
}

/** True for a field whose values are ids of documents. */
export function isReference(field: Field | undefined): field is Field {
  return field !== undefined && FIELD_TYPES[field.type].reference === true;
}

/** The Reference fields of a collection. */
export function referenceFields({ fields }: Pick<Collection, 'fields'>): readonly Field[] {
  return [...fields.values()].filter(isReference);
}

/**
 * The live collection behind a Reference field, in the same version; undefined where there is none. Where the folders
 * share their documents, a database that is named but has no such collection means the field's own.
 */
export function referenceTarget(
  registry: Pick<CollectionRegistry, 'get'>,
  { version, database: own, name: self, namespace }: Collection,
  { reference }: Field,
): Collection | undefined {
  const { database = own, collection = self } = reference;
  const named = registry.get(version, database, collection);
  return named ?? (namespace.database === null ? registry.get(version, own, collection) : undefined);
}
