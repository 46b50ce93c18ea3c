// The record of a client of an older server as ours. Whatever cannot be carried over permits less, never more, and is said.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { permissionsOfResources } from './client-resources.ts';

export interface ConvertedClient {
  readonly clientId: string;
  /** As a request for a new client says it. */
  readonly body: JsonObject;
  /** Undefined: it is not there, or only the older server can check it. */
  readonly secret: string | undefined;
  /** What is not carried over, in words for the operator. */
  readonly notes: readonly string[];
}

/** What the fifth release stores in place of a secret, where it is told to. */
const BCRYPT_HASH = /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/;

/** Members of records from the fourth release on, in which a client may only do what its resources and roles say. */
const LATER_MEMBERS: readonly string[] = [
  'resources',
  'roles',
  'data',
  '_createdAt',
  '_version',
  '_hashVersion',
];

const isLater = (record: JsonObject) =>
  LATER_MEMBERS.some((name) => record[name] !== undefined && record[name] !== null);

const ADMIN_TYPES: ReadonlySet<Json> = new Set(['admin', 'superUser']);

function grantsOf(value: Json | undefined): readonly Json[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((grant: Json) => {
    if (!isJsonObject(grant)) return grant;
    const { path = null, apiVersion } = grant;
    return { path, ...(apiVersion === undefined || apiVersion === null ? {} : { apiVersion }) };
  });
}

/** The permissions of a record before the fourth release: without any, everything is permitted. */
function earlierPermissions(permissions: Json | undefined): JsonObject | null {
  if (permissions === undefined || permissions === null) return null;
  const { collections, endpoints } = isJsonObject(permissions) ? permissions : {};
  const lists = Object.entries({ collections: grantsOf(collections), endpoints: grantsOf(endpoints) });
  return Object.fromEntries(
    lists.filter((entry): entry is [string, readonly Json[]] => entry[1] !== undefined),
  );
}

function roleNotes(roles: Json | undefined): readonly string[] {
  const names = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
  return names.length === 0
    ? []
    : [`its roles are not carried over, nor what they permitted: ${names.join(', ')}`];
}

/**
 * Converts a record; one without an id has the empty id, which no client can have. `collections` are the names of those of the older database, in which
 * resources are looked up.
 */
export function convertClient(record: JsonObject, collections: ReadonlySet<string>): ConvertedClient {
  const { secret, accessType = null } = record;
  const clientId = typeof record['clientId'] === 'string' ? record['clientId'] : '';
  const isHashed = typeof secret === 'string' && BCRYPT_HASH.test(secret);
  const hasSecret = typeof secret === 'string' && secret !== '' && !isHashed && !record['_hashVersion'];
  const own = { clientId, secret: hasSecret ? secret : undefined };
  if (ADMIN_TYPES.has(accessType)) return { ...own, body: { clientId, accessType: 'admin' }, notes: [] };
  if (!isLater(record)) {
    const permissions = earlierPermissions(record['permissions']);
    return { ...own, body: { clientId, accessType: 'user', permissions }, notes: [] };
  }
  const { permissions, notes } = permissionsOfResources(record['resources'], collections);
  return {
    ...own,
    body: { clientId, accessType: 'user', permissions },
    notes: [...notes, ...roleNotes(record['roles'])],
  };
}
