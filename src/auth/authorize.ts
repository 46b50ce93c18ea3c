// Who may do what with a collection or an endpoint: its `authenticate`, then the client's permissions.
import type { Caller } from '../collections/model/documents.ts';
import type { Client } from './clients/client.ts';

interface Named {
  readonly version: string;
  readonly name: string;
}

/** What a decision needs to know of a collection. */
interface Guarded extends Named {
  readonly settings: {
    readonly authenticate: boolean | readonly string[];
    /** Files and their records can be read by anyone at most. */
    readonly media?: boolean;
  };
}

export type AccessDecision = 'ok' | 'no-token' | 'denied';

const canonical = (method: string) => (method === 'HEAD' ? 'GET' : method);

function isPublic(authenticate: Guarded['settings']['authenticate'], method: string): boolean {
  if (typeof authenticate === 'boolean') return !authenticate;
  return !authenticate.some((listed) => canonical(listed) === canonical(method));
}

type Kind = 'collections' | 'endpoints';

function permits(client: Client, kind: Kind, { name, version }: Named): boolean {
  if (client.accessType === 'admin' || client.permissions === null) return true;
  const grants = client.permissions[kind] ?? [];
  return grants.some(
    ({ path, apiVersion }) => path === name && (apiVersion === undefined || apiVersion === version),
  );
}

/**
 * May `client` (null: anonymous) use this method on the documents of the collection, on whichever sub-path?
 * Methods are upper-case; HEAD counts as GET. Permissions do not tell methods apart. Media need a token to be written,
 * whatever `authenticate` says.
 */
export function authorizeCollection(
  client: Client | null,
  collection: Guarded,
  method: string,
): AccessDecision {
  const { authenticate, media = false } = collection.settings;
  const mayBePublic = !media || canonical(method) === 'GET';
  if (mayBePublic && isPublic(authenticate, method)) return 'ok';
  if (client === null) return 'no-token';
  return permits(client, 'collections', collection) ? 'ok' : 'denied';
}

/**
 * May `client` (null: anonymous) call this endpoint with this method? `authenticate` is that of its module. Methods are
 * upper-case; HEAD counts as GET.
 */
export function authorizeEndpoint(
  client: Client | null,
  endpoint: Named & { readonly authenticate: boolean | readonly string[] },
  method: string,
): AccessDecision {
  if (isPublic(endpoint.authenticate, method)) return 'ok';
  if (client === null) return 'no-token';
  return permits(client, 'endpoints', endpoint) ? 'ok' : 'denied';
}

/** The rights of a client, in the form that the collections ask for. */
export function createCaller(client: Client | null): Caller {
  return {
    name: client?.clientId ?? null,
    may: (collection, method) => authorizeCollection(client, collection, method) === 'ok',
  };
}
