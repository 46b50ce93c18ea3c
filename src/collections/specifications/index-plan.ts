// Which indexes the documents of a name space need: those that collections declare, and that of revisions.

import { namespaceKey } from '../../stores/namespace.ts';
import type { IndexDefinition, Namespace } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import { REVISION_INDEX, revisionNamespaceOf } from '../model/revision-namespace.ts';
import { mergeIndexes } from './index-definitions.ts';

export interface IndexPlan {
  readonly namespace: Namespace;
  readonly indexes: readonly IndexDefinition[];
}

/** Where the revisions of a collection go; undefined when it keeps none. */
export function activeRevisionNamespace({ namespace, settings }: Collection): Namespace | undefined {
  return settings.storeRevisions ? revisionNamespaceOf({ namespace, settings }) : undefined;
}

function holdsRevisions(namespace: Namespace, collections: readonly Collection[]): boolean {
  const key = namespaceKey(namespace);
  return collections.some((collection) => {
    const revisions = activeRevisionNamespace(collection);
    return revisions !== undefined && namespaceKey(revisions) === key;
  });
}

/** The whole set of indexes of one name space, where `collections` are all that are live. */
export function planIndexes(namespace: Namespace, collections: readonly Collection[]): IndexPlan {
  const key = namespaceKey(namespace);
  const sharing = collections.filter((entry) => namespaceKey(entry.namespace) === key);
  const added = holdsRevisions(namespace, collections) ? [REVISION_INDEX] : [];
  return { namespace, indexes: mergeIndexes(sharing, added) };
}

/** The plans for everything that a collection writes to: its own name space and that of its revisions. */
export function planIndexesOf(
  collection: Collection,
  collections: readonly Collection[],
): readonly IndexPlan[] {
  const revisions = activeRevisionNamespace(collection);
  const namespaces = revisions === undefined ? [collection.namespace] : [collection.namespace, revisions];
  return namespaces.map((namespace) => planIndexes(namespace, collections));
}
