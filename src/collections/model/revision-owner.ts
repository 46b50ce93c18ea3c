// Which collection a revision belongs to: each has its name. Ids alone do not tell: two collections may keep their revisions in one
// place, by files of their specifications or one after the other.
import type { Filter } from '../../stores/filter.ts';
import { namespaceKey } from '../../stores/ports.ts';
import type { Collection, CollectionRegistry } from './collection.ts';
import { activeRevisionNamespace, ownerOf, REVISION_OWNER } from './stored-document.ts';

/** True where documents of another collection have their revisions in the same place. */
function sharesRevisions(collection: Collection, registry: Pick<CollectionRegistry, 'list'>): boolean {
  const own = activeRevisionNamespace(collection);
  if (own === undefined) return false;
  const key = namespaceKey(own);
  return registry.list().some((other) => {
    // In one place, documents of one name are the same documents.
    if (ownerOf(other) === ownerOf(collection)) return false;
    const theirs = activeRevisionNamespace(other);
    return theirs !== undefined && namespaceKey(theirs) === key;
  });
}

/**
 * The revisions that belong to a collection. Those of the older server have no name of it: they belong to the collection that
 * alone keeps revisions there, and to none where several do.
 */
export function ownRevisionsFilter(
  collection: Collection,
  registry: Pick<CollectionRegistry, 'list'>,
): Filter {
  const name = ownerOf(collection);
  const test = sharesRevisions(collection, registry)
    ? ({ kind: 'eq', value: name } as const)
    : ({ kind: 'in', values: [name, null] } as const);
  return { kind: 'field', path: REVISION_OWNER, tests: [test] };
}
