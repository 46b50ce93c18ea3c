// Finds the collections with which another one can conflict, by its name or its revisions, without a walk through all of them: a
// start and `cloister check` ask for each collection.
import { namespaceKey } from '../../stores/ports.ts';
import type { Collection } from './collection.ts';
import { activeRevisionNamespace } from './stored-document.ts';

export interface NearCollections {
  add(collection: Collection): void;
  /**
   * Collections in the order of their paths, without the one itself: enough of them for what `checkNameCase` and `checkRevisionUse`
   * say of it to be the same as with all.
   */
  near(collection: Collection): readonly Collection[];
}

const revisionsOf = (collection: Collection): readonly string[] => {
  const namespace = activeRevisionNamespace(collection);
  return namespace === undefined ? [] : [namespaceKey(namespace)];
};

/** Makes an empty set of collections. */
export function createNearCollections(): NearCollections {
  const groups = new Map<string, Map<string, Collection>>();
  /** In a group there is one of each `text`, the first by its path. */
  const put = (group: string, text: string, collection: Collection) => {
    const members = groups.get(group) ?? new Map<string, Collection>();
    groups.set(group, members);
    const before = members.get(text);
    if (before === undefined || collection.path < before.path) members.set(text, collection);
  };
  const foldedName = ({ version, database, name }: Collection) =>
    `name ${version}/${database}/${name.toLowerCase()}`;
  const foldedSpace = ({ namespace }: Collection) => `space ${namespaceKey(namespace).toLowerCase()}`;
  const foldedParts = ({ version, database }: Collection) =>
    [
      [`version ${version.toLowerCase()}`, version],
      [`database ${database.toLowerCase()}`, database],
    ] as const;

  return {
    add(collection) {
      const { path, namespace } = collection;
      put(foldedName(collection), path, collection);
      put(foldedSpace(collection), path, collection);
      put(`documents ${namespaceKey(namespace)}`, path, collection);
      for (const key of revisionsOf(collection)) put(`revisions ${key}`, path, collection);
      // Of a version or database, one that is written so is enough.
      for (const [group, text] of foldedParts(collection)) put(group, text, collection);
    },
    near(collection) {
      const own = revisionsOf(collection);
      const names = [
        foldedName(collection),
        foldedSpace(collection),
        ...foldedParts(collection).map(([group]) => group),
        `revisions ${namespaceKey(collection.namespace)}`,
        ...own.flatMap((key) => [`revisions ${key}`, `documents ${key}`]),
      ];
      const found = new Map<string, Collection>();
      for (const name of names) {
        for (const one of groups.get(name)?.values() ?? []) found.set(one.path, one);
      }
      found.delete(collection.path);
      return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}
