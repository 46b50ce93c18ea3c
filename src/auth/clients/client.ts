// A client of the API: who it is, and what it may do at most.
import type { AccessAction } from '../../lib/access-actions.ts';
import { isRoleName } from '../../lib/client-names.ts';

export type AccessType = 'admin' | 'user';

export interface EndpointPermission {
  readonly path: string;
  /** Absent: every version. */
  readonly apiVersion?: string;
}

export interface CollectionPermission extends EndpointPermission {
  /** Absent: every database. */
  readonly database?: string;
  /** Absent: every action. */
  readonly actions?: readonly AccessAction[];
}

/**
 * What a client may do at most. A block without a list denies that whole kind; with `actions` alone the block permits
 * these actions on every collection.
 */
export interface Permissions {
  /** Without `collections`: on every collection. With it: no entry permits any other action. */
  readonly actions?: readonly AccessAction[];
  readonly collections?: readonly CollectionPermission[];
  readonly endpoints?: readonly EndpointPermission[];
}

export interface Client {
  /** Id of the client's record. */
  readonly id: string;
  readonly clientId: string;
  readonly accessType: AccessType;
  /** May approve code and policies that others posted. Only commands on the machine give and take this right. */
  readonly reviewer?: true;
  /** Null: everything is permitted. */
  readonly permissions: Permissions | null;
  /** Names that the rules of collections are addressed to. */
  readonly roles: readonly string[];
  /** Name of the issuer whose user this is. Absent for clients of our own; never stored. */
  readonly issuer?: string;
}

/** Length of a secret that a person chose, in characters. */
export const MAX_SECRET_LENGTH = 1024;

/** The issuer whose users have ids like this one; undefined for an id that a client of our own may have. */
export function issuerOfId(clientId: string, issuerNames: readonly string[]): string | undefined {
  return issuerNames.find((name) => clientId.startsWith(`${name}:`));
}

export const MAX_ROLES = 100;
/** What rules of collections call everybody, every client, and those who need no rule. */
export const RESERVED_ROLES: readonly string[] = ['anyone', 'clients', 'admin'];

/** True for a role that a client may have. */
export function isRole(value: unknown): value is string {
  return typeof value === 'string' && isRoleName(value) && !RESERVED_ROLES.includes(value);
}
