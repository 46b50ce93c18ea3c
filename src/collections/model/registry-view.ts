// What the collections of a registry together say of each: made at once, after any number of changes.
import { type Namespace, namespaceKey } from '../../stores/ports.ts';
import type { AccessRules, FieldAccess } from './access-rules.ts';

/** What is looked at of a collection. */
interface ViewedCollection {
  readonly path: string;
  readonly namespace: Namespace;
  readonly fields: ReadonlyMap<string, { readonly access: FieldAccess | undefined }>;
  readonly settings: {
    readonly media: boolean;
    readonly storeRevisions: boolean;
    readonly revisionCollection: string;
    readonly access: AccessRules | null;
  };
}

/** Keys of the namespaces that hold revisions of the collections. */
const revisionSpacesOf = (collections: readonly ViewedCollection[]) =>
  new Set(
    collections
      .filter(({ settings }) => settings.storeRevisions)
      .map(({ namespace, settings }) =>
        namespaceKey({ ...namespace, collection: settings.revisionCollection }),
      ),
  );

/** True where rules, of documents or of a field, may keep something from a caller who may read the collection. */
const keepsFromSome = ({ settings, fields }: ViewedCollection) =>
  settings.access !== null || [...fields.values()].some(({ access }) => access?.read !== undefined);

/** What all collections together say of each. */
export interface RegistryView<C extends ViewedCollection> {
  readonly at: ReadonlyMap<string, C>;
  readonly sorted: readonly C[];
  /** By the keys of their namespaces. */
  readonly sharing: ReadonlyMap<string, readonly C[]>;
  readonly revisionSpaces: ReadonlySet<string>;
  readonly ruledRevisionSpaces: ReadonlySet<string>;
  readonly recordSpaces: ReadonlySet<string>;
}

/** `sorted`: all collections, in the order of their paths. */
export function makeRegistryView<C extends ViewedCollection>(sorted: readonly C[]): RegistryView<C> {
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
