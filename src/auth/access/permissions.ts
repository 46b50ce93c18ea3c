// The permissions of a client, which narrow what it may do and never widen it; and who may call an endpoint.

import { isPublic } from '../../collections/model/access-rules.ts';
import type { AccessAction } from '../../lib/access-actions.ts';
import type { Client } from '../clients/client.ts';

interface Resource {
  readonly version: string;
  readonly name: string;
}

/** True where the permissions of the client cover the action on this collection. */
export function permitsCollection(
  { accessType, permissions }: Client,
  { name, version, database }: Resource & { readonly database: string },
  action: AccessAction,
): boolean {
  if (accessType === 'admin' || permissions === null) return true;
  const { actions, collections } = permissions;
  if (actions !== undefined && !actions.includes(action)) return false;
  if (collections === undefined) return actions !== undefined;
  return collections.some(
    (grant) =>
      grant.path === name &&
      (grant.apiVersion === undefined || grant.apiVersion === version) &&
      (grant.database === undefined || grant.database === database) &&
      (grant.actions === undefined || grant.actions.includes(action)),
  );
}

/** True where the permissions of the client cover this endpoint. */
function permitsEndpoint({ accessType, permissions }: Client, { name, version }: Resource): boolean {
  if (accessType === 'admin' || permissions === null) return true;
  return (permissions.endpoints ?? []).some(
    ({ path, apiVersion }) => path === name && (apiVersion === undefined || apiVersion === version),
  );
}

export type EndpointDecision = 'ok' | 'no-token' | 'denied';

/**
 * Decides whether `client` (null: anonymous) may call this endpoint with this method. `authenticate` is that of its module. A user of
 * another issuer may call what anyone may.
 */
export function decideEndpoint(
  client: Client | null,
  endpoint: Resource & { readonly authenticate: boolean | readonly string[] },
  method: string,
): EndpointDecision {
  if (isPublic(endpoint.authenticate, method)) return 'ok';
  if (client === null) return 'no-token';
  return client.issuer === undefined && permitsEndpoint(client, endpoint) ? 'ok' : 'denied';
}
