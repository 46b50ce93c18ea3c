// Resolves the name of `Model(name)` to a collection grant of the policy.
import type { Collection } from '../collections/model/collection.ts';
import type { Caller, CollectionMethod } from '../collections/model/documents.ts';
import type { CollectionGrant, ModelAction } from '../sandbox-supervisor/model/module-version.ts';
import { HostCallError } from './host-call-error.ts';

const ACTIONS: Readonly<Record<CollectionMethod, ModelAction>> = {
  GET: 'find',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
};

/** One error for collections that are not granted and for missing ones: names cannot be probed. */
export function notGrantedError(): HostCallError {
  return new HostCallError('NOT_GRANTED', 'The policy of this module grants no such use of a collection');
}

const isNamedBy = (grant: CollectionGrant, name: string) =>
  grant.name === name || grant.name.endsWith(`/${name}`);

/**
 * The grant for an action on `books`, `library/books` or `1.0/library/books`. Throws NOT_GRANTED, and AMBIGUOUS_NAME for a
 * short name that several granted collections have.
 */
export function findCollectionGrant(
  grants: readonly CollectionGrant[],
  name: string,
  action: ModelAction,
): CollectionGrant {
  const named = grants.filter((grant) => isNamedBy(grant, name));
  const paths = new Set(named.map((grant) => grant.name));
  if (paths.size > 1) {
    const choices = [...paths].sort().join(', ');
    throw new HostCallError('AMBIGUOUS_NAME', `The name may mean any of ${choices}`);
  }
  const grant = named.find(({ actions }) => actions.includes(action));
  if (grant === undefined) throw notGrantedError();
  return grant;
}

/**
 * Restricts `caller` to the grants: what a query reaches through references (composed documents, filters, sub-documents)
 * must be granted as well as permitted.
 */
export function restrictCaller(caller: Caller, grants: readonly CollectionGrant[]): Caller {
  const granted = ({ path }: Collection, method: CollectionMethod) =>
    grants.some(({ name, actions }) => `/${name}` === path && actions.includes(ACTIONS[method]));
  return {
    name: caller.name,
    may: (collection, method) => granted(collection, method) && caller.may(collection, method),
  };
}
