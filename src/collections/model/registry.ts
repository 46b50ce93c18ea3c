// The live collections, keyed by address. Entries are swapped whole, never mutated.
import { namespaceKey } from '../../stores/namespace.ts';
import type { Namespace } from '../../stores/ports.ts';
import type { Collection, CollectionAddress } from './collection.ts';

export interface Registry {
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

export function createRegistry(): Registry {
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
