// The registry holds the live collections by address, replaces them whole, and tells what all of them together say of each.
import { namespaceKey } from '../../stores/ports.ts';
import type { Collection, CollectionRegistry, ImpliedCollections } from './collection.ts';

/** Keys of the namespaces that hold revisions of the collections. */
const revisionSpacesOf = (collections: readonly Collection[]) =>
  new Set(
    collections
      .filter(({ settings }) => settings.storeRevisions)
      .map(({ namespace, settings }) =>
        namespaceKey({ ...namespace, collection: settings.revisionCollection }),
      ),
  );

/** True where rules, of documents or of a field, may keep something from a caller who may read the collection. */
const keepsFromSome = ({ settings, fields }: Collection) =>
  settings.access !== null || [...fields.values()].some(({ access }) => access?.read !== undefined);

/** What all collections together say of each: made at once, after any number of changes. */
interface RegistryView {
  readonly at: ReadonlyMap<string, Collection>;
  readonly sorted: readonly Collection[];
  /** By the keys of their namespaces. */
  readonly sharing: ReadonlyMap<string, readonly Collection[]>;
  readonly revisionSpaces: ReadonlySet<string>;
  readonly ruledRevisionSpaces: ReadonlySet<string>;
  readonly recordSpaces: ReadonlySet<string>;
}

/** `sorted`: all collections, in the order of their paths. */
function makeRegistryView(sorted: readonly Collection[]): RegistryView {
  const media = sorted.filter((entry) => entry.settings.media);
  return {
    at: new Map(sorted.map((entry) => [entry.path, entry])),
    sorted,
    sharing: Map.groupBy(sorted, ({ namespace }) => namespaceKey(namespace)),
    revisionSpaces: revisionSpacesOf(sorted),
    ruledRevisionSpaces: revisionSpacesOf(sorted.filter(keepsFromSome)),
    recordSpaces: new Set(media.map((entry) => namespaceKey(entry.namespace))),
  };
}

const addressKey = (version: string, database: string, name: string) => `/${version}/${database}/${name}`;

const byPath = (collections: Iterable<Collection>): readonly Collection[] =>
  [...collections].sort((a, b) => (a.path < b.path ? -1 : 1));

/** Makes an empty registry. `implied`: none unless given. */
export function createCollectionRegistry(implied: ImpliedCollections = () => []): CollectionRegistry {
  const specified = new Map<string, Collection>();
  const withheld = new Set<string>();
  /** Absent after a change: a start puts thousands of collections, one after the other, before it asks for any. */
  let made: RegistryView | undefined;

  const withImplied = (given: ReadonlyMap<string, Collection>) => {
    const listed = byPath(given.values());
    return byPath([...listed, ...implied(listed, withheld)]);
  };

  const view = (): RegistryView => {
    made ??= makeRegistryView(withImplied(specified));
    return made;
  };

  return {
    get: (version, database, name) => view().at.get(addressKey(version, database, name)),
    list: () => view().sorted,
    put(collection) {
      specified.set(collection.path, collection);
      withheld.delete(collection.path);
      made = undefined;
    },
    remove({ version, database, name }) {
      const path = addressKey(version, database, name);
      specified.delete(path);
      withheld.delete(path);
      made = undefined;
    },
    withhold({ version, database, name }) {
      withheld.add(addressKey(version, database, name));
      made = undefined;
    },
    replacing(path, collection) {
      const changed = new Map(specified);
      if (collection === undefined) changed.delete(path);
      else changed.set(path, collection);
      const all = withImplied(changed);
      const at = new Map(all.map((entry) => [entry.path, entry]));
      return { list: () => all, get: (...address) => at.get(addressKey(...address)) };
    },
    withNamespace(namespace) {
      return view().sharing.get(namespaceKey(namespace)) ?? [];
    },
    isRevisionCollection: (collection) => view().revisionSpaces.has(namespaceKey(collection.namespace)),
    keepsRuledRevisions: (collection) => view().ruledRevisionSpaces.has(namespaceKey(collection.namespace)),
    holdsRecords: (collection) =>
      collection.settings.media ||
      (view().recordSpaces.size > 0 && view().recordSpaces.has(namespaceKey(collection.namespace))),
  };
}
