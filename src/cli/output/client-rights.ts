// What a client may do, in words for the operator.
import type { Client, CollectionPermission } from '../../auth/clients/client.ts';
import type { AccessAction } from '../../lib/access-actions.ts';

/** Names that one line shows; the others are counted. */
const MAX_NAMED = 5;
const WRITES: readonly AccessAction[] = ['create', 'update', 'delete'];
const ALL_ACTIONS: readonly AccessAction[] = ['read', 'history', ...WRITES];
/** Names that need no quotes. */
const PLAIN = /^[\p{L}\p{N}_.:@+~-]+$/u;

function join(texts: readonly string[]): string {
  const shown = texts.length > MAX_NAMED + 1 ? texts.slice(0, MAX_NAMED) : texts;
  const more = texts.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const quote = (name: string) => (PLAIN.test(name) ? name : JSON.stringify(name));

/** The verbs of a set of actions; undefined if it permits nothing. History comes with reading only. */
function verbs(actions: readonly AccessAction[]): string | undefined {
  const reads = actions.includes('read');
  const read = actions.includes('history') ? 'read (with history)' : 'read';
  const writes = WRITES.filter((action) => actions.includes(action));
  const all = [...(reads ? [read] : []), ...(writes.length === WRITES.length ? ['write'] : writes)];
  return all.length === 0 ? undefined : join(all);
}

/** `1.0/library/books`, or what of it a grant names. */
function nameOf({ path, apiVersion, database }: Omit<CollectionPermission, 'actions'>): string {
  const names = [database, path].filter((name) => name !== undefined).map(quote);
  if (apiVersion === undefined) return names.join('/');
  if (database === undefined) return `${names.join('/')} of version ${quote(apiVersion)}`;
  return [quote(apiVersion), ...names].join('/');
}

/** What of collections the permissions leave to a client; undefined: nothing. */
function collectionRights({ permissions }: Client): string | undefined {
  const { actions = ALL_ACTIONS, collections } = permissions ?? {};
  if (permissions === null || (collections === undefined && permissions.actions !== undefined)) {
    const all = verbs(actions);
    return all === undefined ? undefined : `${all} every collection`;
  }
  const named = new Map<string, string[]>();
  for (const grant of collections ?? []) {
    const own = verbs((grant.actions ?? ALL_ACTIONS).filter((action) => actions.includes(action)));
    if (own !== undefined) named.set(own, [...(named.get(own) ?? []), nameOf(grant)]);
  }
  const texts = [...named].map(([own, names]) => `${own} ${join(names)}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}

function endpointRights({ permissions }: Client): string {
  if (permissions === null) return 'call every endpoint';
  const names = (permissions.endpoints ?? []).map(nameOf);
  return names.length === 0 ? 'call no endpoint that needs a token' : `call ${join(names)}`;
}

function roleNames(roles: readonly string[]): string {
  if (roles.length === 0) return 'clients';
  return `clients and the ${roles.length === 1 ? 'role' : 'roles'} ${join(roles)}`;
}

/** What a client may do, as one line behind the word "may". */
export function describeRights(client: Client): string {
  const approves = client.reviewer === undefined ? [] : ['approve what others post'];
  if (client.accessType === 'admin') return ['do everything, as an admin', ...approves].join('; ');
  const collections = collectionRights(client);
  const rules = `where a collection has access rules, only what they allow to ${roleNames(client.roles)}`;
  return [
    ...(collections === undefined ? ['use no collection that needs a token'] : [collections]),
    endpointRights(client),
    ...(collections === undefined ? [] : [rules]),
    ...approves,
  ].join('; ');
}

/** What is not usual of a client, in columns behind its id and access type. */
export function describeClient(client: Client): readonly string[] {
  const { reviewer, roles, permissions, accessType } = client;
  const isLimited = permissions !== null && accessType !== 'admin';
  const limits = [collectionRights(client) ?? 'use no collection that needs a token', endpointRights(client)];
  return [
    ...(reviewer === undefined ? [] : ['reviewer']),
    ...(roles.length === 0 ? [] : [`roles: ${roles.join(', ')}`]),
    ...(isLimited ? [`may only ${limits.join('; ')}`] : []),
  ];
}
