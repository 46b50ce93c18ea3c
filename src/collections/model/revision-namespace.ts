// Where the revisions of a collection are kept, and how they are found there.
import type { Filter } from '../../stores/filter.ts';
import type { IndexDefinition, Namespace } from '../../stores/ports.ts';
import type { Collection } from './collection.ts';

/** The revisions of one document in the order of its states, also when the document itself is gone. */
export const REVISION_INDEX: IndexDefinition = {
  name: 'originalDocumentId_1_v_1',
  keys: [
    { path: 'originalDocumentId', direction: 1, fold: false },
    { path: 'v', direction: 1, fold: false },
  ],
  unique: false,
  sparse: false,
};

/** The name space of a collection's revisions, whether or not it keeps any at present. */
export function revisionNamespaceOf({
  namespace,
  settings,
}: Pick<Collection, 'namespace' | 'settings'>): Namespace {
  return { ...namespace, collection: settings.revisionCollection };
}

/** The revisions of one document. */
export function revisionsFilter(id: string): Filter {
  return { kind: 'field', path: 'originalDocumentId', tests: [{ kind: 'eq', value: id }] };
}

/** The namespace of a collection's revisions; undefined where it keeps none. */
export function activeRevisionNamespace(
  collection: Pick<Collection, 'namespace' | 'settings'>,
): Namespace | undefined {
  return collection.settings.storeRevisions ? revisionNamespaceOf(collection) : undefined;
}
