// Which indexes the documents of a name space need: those that collections declare, and that of revisions.
import type { IndexDefinition, Namespace } from '../stores/ports.ts';
import type { Collection } from './collection.ts';
import { uniteIndexes } from './indexes.ts';
import { namespaceKey } from './registry.ts';

// A document's history is looked up by this field, also when the document itself is gone.
const BY_ORIGINAL: IndexDefinition = {
  name: 'originalDocumentId_1',
  keys: [{ path: 'originalDocumentId', direction: 1, fold: false }],
  unique: false,
  sparse: false,
};

export interface IndexPlan {
  readonly namespace: Namespace;
  readonly indexes: readonly IndexDefinition[];
}

/** Where the revisions of a collection go; undefined when it keeps none. */
export function revisionNamespace({ namespace, settings }: Collection): Namespace | undefined {
  return settings.storeRevisions ? { ...namespace, collection: settings.revisionCollection } : undefined;
}

function isHome(namespace: Namespace, collections: readonly Collection[]): boolean {
  const key = namespaceKey(namespace);
  return collections.some((collection) => {
    const revisions = revisionNamespace(collection);
    return revisions !== undefined && namespaceKey(revisions) === key;
  });
}

/** The whole set of indexes of one name space, where `collections` are all that are live. */
export function planIndexes(namespace: Namespace, collections: readonly Collection[]): IndexPlan {
  const key = namespaceKey(namespace);
  const declared = uniteIndexes(collections.filter((entry) => namespaceKey(entry.namespace) === key));
  const covered = declared.some(({ keys }) => keys[0]?.path === 'originalDocumentId');
  const needsOriginal = isHome(namespace, collections) && !covered;
  return { namespace, indexes: needsOriginal ? [...declared, BY_ORIGINAL] : declared };
}

/** The plans for everything that a collection writes to: its own name space and that of its revisions. */
export function plansFor(collection: Collection, collections: readonly Collection[]): readonly IndexPlan[] {
  const revisions = revisionNamespace(collection);
  const namespaces = revisions === undefined ? [collection.namespace] : [collection.namespace, revisions];
  return namespaces.map((namespace) => planIndexes(namespace, collections));
}
