// Decides what a caller may do with the documents of a collection, in one place: by the rules of its specification, or without
// rules by `authenticate`; in both cases narrowed by the permissions of the client.

import { type CollectionAccess, FULL_ACCESS } from '../../collections/model/access.ts';
import {
  type AccessRule,
  type CallerValues,
  type FieldAccess,
  needsNoToken,
  needsToken,
} from '../../collections/model/access-rules.ts';
import type { Collection } from '../../collections/model/collection.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../lib/access-actions.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { Client } from '../clients/client.ts';
import { permitsCollection } from './permissions.ts';

/** The members of a collection that decide. */
export type RuledCollection = Pick<Collection, 'version' | 'database' | 'name' | 'fields'> & {
  readonly settings: Pick<Collection['settings'], 'access' | 'authenticate' | 'media'>;
};

/** True for a user of another issuer. */
const isForeign = (client: Client | null): boolean => client?.issuer !== undefined;

/** True where a caller of a rule or of a field means this client. */
function isMeant(caller: string, client: Client | null): boolean {
  if (caller === 'anyone') return true;
  if (client === null) return false;
  if (caller === 'clients') return true;
  const kind = isForeign(client) ? 'user' : 'client';
  return caller === `${kind}:${client.clientId}` || client.roles.includes(caller);
}

const areMeant = (callers: readonly string[], client: Client | null) =>
  callers.some((caller) => isMeant(caller, client));

/** What decides about an action: a right of the client, the lack of one, or the rules of the collection. */
export type Ground =
  | 'admin'
  /** No token is needed. */
  | 'open'
  /** Any client of this server may, where there are no rules. */
  | 'client'
  | 'rules'
  | 'permissions'
  /** It needs a token, and there is none. */
  | 'no-token'
  /** Users of other issuers need rules. */
  | 'foreign'
  /** Its revisions belong to a collection with rules, and it has none of its own. */
  | 'no-rules';

/** A rule that means the client, by its place in the list, and the documents that it allows. */
interface BoundRule {
  readonly index: number;
  readonly filter: Filter;
}

/** The documents that a client may do something with, and why. */
export interface Scope {
  readonly filter: Filter | null;
  /** Equal for the same documents. */
  readonly key: string;
  readonly ground: Ground;
  /** The rules that mean the client; only up to one that allows everything. */
  readonly rules: readonly BoundRule[];
}

const NO_RULES: readonly BoundRule[] = [];
const nothing = (ground: Ground): Scope => ({ filter: null, key: 'none', ground, rules: NO_RULES });
const everything = (ground: Ground, rules = NO_RULES): Scope => ({
  filter: MATCH_ALL,
  key: 'all',
  ground,
  rules,
});

/** The documents that one of the rules allows. */
function scopeOfRules(rules: readonly AccessRule[], client: Client | null): Scope {
  const values: CallerValues = { clientId: client?.clientId ?? null, roles: client?.roles ?? null };
  const bound: BoundRule[] = [];
  const keys: (number | string | null)[] = [];
  for (const [index, { to, where }] of rules.entries()) {
    if (!areMeant(to, client)) continue;
    if (where === undefined) return everything('rules', [...bound, { index, filter: MATCH_ALL }]);
    const filter = where.bind(values);
    if (filter === null) continue;
    bound.push({ index, filter });
    keys.push(index, where.usesClientId ? values.clientId : '');
    if (where.usesRoles) keys.push(...(values.roles ?? []));
  }
  const filters = bound.map(({ filter }) => filter);
  const [only] = filters;
  if (only === undefined) return nothing('rules');
  const filter: Filter = filters.length === 1 ? only : { kind: 'or', filters };
  return { filter, key: JSON.stringify(keys), ground: 'rules', rules: bound };
}

function scopeOf(action: AccessAction, collection: RuledCollection, client: Client | null): Scope {
  const { settings } = collection;
  const isPermitted = client === null || permitsCollection(client, collection, action);
  if (settings.access !== null) {
    if (!isPermitted) return nothing('permissions');
    if (client === null && needsToken(settings, action)) return nothing('no-token');
    return scopeOfRules(settings.access[action] ?? [], client);
  }
  // Whoever has a token may do at least what needs none.
  if (needsNoToken(settings, action)) return everything('open');
  if (client === null) return nothing('no-token');
  if (isForeign(client)) return nothing('foreign');
  return isPermitted ? everything('client') : nothing('permissions');
}

interface DecideOptions {
  /** Only the rules of its own specification open the collection to others than admins, as for the revisions of one that has rules. */
  readonly needsRules?: boolean;
}

/** Decides about one action of a client, or of the anonymous (null). `decideAccess` joins these decisions. */
export function decideAction(
  client: Client | null,
  collection: RuledCollection,
  action: AccessAction,
  { needsRules = false }: DecideOptions = {},
): Scope {
  if (client?.accessType === 'admin') return everything('admin');
  const isClosed = needsRules && collection.settings.access === null;
  return isClosed ? nothing('no-rules') : scopeOf(action, collection, client);
}

/** True where the permissions of the client name what it may do with the collection, and reading is not among it. */
function lacksReading(client: Client | null, collection: RuledCollection): boolean {
  if (client === null || permitsCollection(client, collection, 'read')) return false;
  return ACCESS_ACTIONS.some((action) => permitsCollection(client, collection, action));
}

/** Names of the fields whose `access` leaves the client out. */
function refusedFields(
  { fields }: RuledCollection,
  member: keyof FieldAccess,
  client: Client | null,
): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const { name, access } of fields.values()) {
    const callers = access?.[member];
    if (callers !== undefined && !areMeant(callers, client)) refused.add(name);
  }
  return refused;
}

/** Decides for a client, or for the anonymous (null). */
export function decideAccess(
  client: Client | null,
  collection: RuledCollection,
  options: DecideOptions = {},
): CollectionAccess {
  if (client?.accessType === 'admin') return FULL_ACCESS;
  const isRuled = options.needsRules === true || collection.settings.access !== null;
  const scope = (action: AccessAction) => decideAction(client, collection, action, options);
  const [read, history] = [scope('read'), scope('history')];
  const hidden = refusedFields(collection, 'read', client);
  return {
    read: read.filter,
    create: scope('create').filter,
    update: scope('update').filter,
    delete: scope('delete').filter,
    history: history.filter,
    hidden,
    closed: refusedFields(collection, 'write', client),
    isRuled,
    findable: isRuled || lacksReading(client, collection) ? read.filter : MATCH_ALL,
    readKey: [read.key, history.key, ...hidden].join('\0'),
  };
}
