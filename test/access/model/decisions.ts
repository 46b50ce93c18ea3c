// Who may do what: permissions, rules, and access of fields. Each function is one sentence of the rules.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { filterFor, matches, ownValues } from './match.ts';
import type { Action, ModelCaller, ModelCollection, ModelSpecification } from './world.ts';

export interface Decision {
  /** False: it may not at all, and is told so before anything is looked for. */
  readonly isAddressed: boolean;
  /** True: no condition holds it to some of the documents. */
  readonly isUnconditional: boolean;
  allows(document: JsonObject): boolean;
}

const EVERYTHING: Decision = { isAddressed: true, isUnconditional: true, allows: () => true };
const NOTHING: Decision = { isAddressed: false, isUnconditional: false, allows: () => false };

/** Whether one of these names is the caller's. */
function isAddressed(to: string | readonly string[], { clientId, roles }: ModelCaller): boolean {
  return [to].flat().some((name) => {
    if (name === 'anyone') return true;
    if (clientId === null) return false;
    return name === 'clients' || name === `client:${clientId}` || roles.includes(name);
  });
}

/** Permissions narrow: without any, a client has them all. */
function isPermitted({ permissions }: ModelCaller, collection: string, action: Action): boolean {
  if (permissions === undefined) return true;
  const { actions, collections } = permissions;
  if (actions !== undefined && !actions.includes(action)) return false;
  if (collections === undefined) return actions !== undefined;
  return collections.some(
    (entry) => entry.path === collection && (entry.actions ?? [action]).includes(action),
  );
}

/** Without rules the settings of old decide. */
function decideOpenly(
  caller: ModelCaller,
  { name, specification }: ModelCollection,
  action: Action,
): Decision {
  if (!specification.authenticate) return EVERYTHING;
  if (caller.clientId === null) return NOTHING;
  return isPermitted(caller, name, action) ? EVERYTHING : NOTHING;
}

export function decide(caller: ModelCaller, collection: ModelCollection, action: Action): Decision {
  if (caller.isAdmin) return EVERYTHING;
  const { access } = collection.specification;
  if (access === undefined) return decideOpenly(caller, collection, action);
  if (!isPermitted(caller, collection.name, action)) return NOTHING;
  const rules = access[action] ?? (action === 'history' ? access.update : undefined) ?? [];
  // A rule that asks for what the caller does not have is as if it were not there.
  const filters = rules
    .filter(({ to }) => isAddressed(to, caller))
    .map(({ where }) => (where === undefined ? 'everything' : filterFor(where, caller)))
    .filter((filter) => filter !== null);
  if (filters.length === 0) return NOTHING;
  return {
    isAddressed: true,
    isUnconditional: filters.includes('everything'),
    allows: (document) =>
      filters.some((filter) => typeof filter === 'string' || matches(filter, ownValues(document))),
  };
}

/** How the caller is told that it may not. */
export function rejectionOf({ clientId }: ModelCaller, { access }: ModelSpecification): 401 | 403 {
  return clientId === null || access === undefined ? 401 : 403;
}

/** Access of a field decides for itself, also where the collection has no rules. */
export const fieldRejectionOf = ({ clientId }: ModelCaller): 401 | 403 => (clientId === null ? 401 : 403);

/** Whether the caller gets the field, or may set it. */
export function mayUseField(
  caller: ModelCaller,
  { specification }: ModelCollection,
  name: string,
  use: 'read' | 'write',
): boolean {
  const to = specification.fields[name]?.access?.[use];
  return caller.isAdmin || to === undefined || isAddressed(to, caller);
}
