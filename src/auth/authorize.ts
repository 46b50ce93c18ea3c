// Authorizes requests: the `authenticate` setting of the collection or endpoint, then the permissions of the client.
import type { Caller } from '../collections/model/documents.ts';
import type { Client } from './clients/client.ts';

interface Resource {
  readonly version: string;
  readonly name: string;
}

/** The members of a collection that decide. */
interface ProtectedCollection extends Resource {
  readonly settings: {
    readonly authenticate: boolean | readonly string[];
    /** A media collection: public access, if any, is for reading only. */
    readonly media?: boolean;
  };
}

export type AccessDecision = 'ok' | 'no-token' | 'denied';

const canonical = (method: string) => (method === 'HEAD' ? 'GET' : method);

function isPublic(authenticate: ProtectedCollection['settings']['authenticate'], method: string): boolean {
  if (typeof authenticate === 'boolean') return !authenticate;
  return !authenticate.some((listed) => canonical(listed) === canonical(method));
}

type ResourceKind = 'collections' | 'endpoints';

function permits(client: Client, kind: ResourceKind, { name, version }: Resource): boolean {
  if (client.accessType === 'admin' || client.permissions === null) return true;
  const grants = client.permissions[kind] ?? [];
  return grants.some(
    ({ path, apiVersion }) => path === name && (apiVersion === undefined || apiVersion === version),
  );
}

/**
 * Decides whether `client` (null: anonymous) may use this method on the documents of the collection, on any sub-path.
 * Methods are upper-case; HEAD counts as GET. Permissions are the same for all methods. Writing to a
 * media collection needs a token whatever `authenticate` says.
 */
export function authorizeCollection(
  client: Client | null,
  collection: ProtectedCollection,
  method: string,
): AccessDecision {
  const { authenticate, media = false } = collection.settings;
  const mayBePublic = !media || canonical(method) === 'GET';
  if (mayBePublic && isPublic(authenticate, method)) return 'ok';
  if (client === null) return 'no-token';
  return permits(client, 'collections', collection) ? 'ok' : 'denied';
}

/**
 * Decides whether `client` (null: anonymous) may call this endpoint with this method. `authenticate` is that of its module. Methods are
 * upper-case; HEAD counts as GET.
 */
export function authorizeEndpoint(
  client: Client | null,
  endpoint: Resource & { readonly authenticate: boolean | readonly string[] },
  method: string,
): AccessDecision {
  if (isPublic(endpoint.authenticate, method)) return 'ok';
  if (client === null) return 'no-token';
  return permits(client, 'endpoints', endpoint) ? 'ok' : 'denied';
}

/** The rights of a client as the collections query them. */
export function createCaller(client: Client | null): Caller {
  return {
    clientId: client?.clientId ?? null,
    may: (collection, method) => authorizeCollection(client, collection, method) === 'ok',
  };
}
