// Validates what requests and commands say about a client.
import { isClientId } from '../../lib/client-names.ts';
import { badField, members } from './body-members.ts';
import { type AccessType, issuerOfId, MAX_SECRET_LENGTH, type Permissions } from './client.ts';
import { parsePermissions, parseRoles } from './parse-permissions.ts';

/** Length of a secret that a person chose, in characters. */
const MIN_SECRET_LENGTH = 8;

export interface NewClient {
  readonly clientId: string;
  /** Undefined: the server generates one. */
  readonly secret: string | undefined;
  readonly accessType: AccessType;
  readonly permissions: Permissions | null;
  readonly roles: readonly string[];
}

/** Undefined members keep their value; `permissions: null` removes every restriction, `roles` replaces all. */
export interface ClientChange {
  readonly accessType: AccessType | undefined;
  readonly permissions: Permissions | null | undefined;
  readonly roles: readonly string[] | undefined;
}

function parseAccessType(value: unknown): AccessType {
  if (value === 'admin' || value === 'user') return value;
  throw badField('accessType', 'must be "admin" or "user"');
}

function parseSecretOf(value: unknown, min: number): string {
  const fits =
    typeof value === 'string' &&
    value.length >= min &&
    value.length <= MAX_SECRET_LENGTH &&
    value.isWellFormed();
  if (!fits) throw badField('secret', `A secret is text of ${min} to ${MAX_SECRET_LENGTH} characters`);
  return value;
}

/** Validates a secret that a person chose: 8 to 1024 characters. Throws BAD_REQUEST. */
export const parseSecret = (value: unknown): string => parseSecretOf(value, MIN_SECRET_LENGTH);

/** Validates a secret that another server took: 1 to 1024 characters. Throws BAD_REQUEST. */
export const parseImportedSecret = (value: unknown): string => parseSecretOf(value, 1);

/** Validates the id of a client of our own: it is none of a user of another issuer. Throws BAD_REQUEST. */
export function parseClientId(value: unknown, issuerNames: readonly string[]): string {
  if (!isClientId(value)) {
    throw badField(
      'clientId',
      'A client id is 1 to 200 letters, digits or any of _ . @ : + ~ - and begins with a letter, a digit or _',
    );
  }
  const issuer = issuerOfId(value, issuerNames);
  if (issuer === undefined) return value;
  throw badField('clientId', `Ids that begin with ${issuer}: belong to users of the issuer ${issuer}`);
}

/**
 * Validates a new client. Throws BAD_REQUEST naming the field. `accessType` is "user" when absent. No id begins with the name
 * of an issuer and a colon.
 */
export function parseNewClient(body: unknown, issuerNames: readonly string[] = []): NewClient {
  const given = members(body, '', ['clientId', 'secret', 'accessType', 'permissions', 'roles']);
  const { clientId, secret, accessType, roles } = given;
  return {
    clientId: parseClientId(clientId, issuerNames),
    secret: secret === undefined ? undefined : parseSecret(secret),
    accessType: accessType === undefined ? 'user' : parseAccessType(accessType),
    permissions: parsePermissions(given['permissions']),
    roles: roles === undefined ? [] : parseRoles(roles),
  };
}

/** Validates a change of a client. Throws BAD_REQUEST naming the field. `clientId` may be repeated, but not changed. */
export function parseClientChange(clientId: string, body: unknown): ClientChange {
  const given = members(body, '', ['clientId', 'accessType', 'permissions', 'roles']);
  const { accessType, permissions, roles } = given;
  if (given['clientId'] !== undefined && given['clientId'] !== clientId) {
    throw badField('clientId', 'cannot be changed');
  }
  return {
    accessType: accessType === undefined ? undefined : parseAccessType(accessType),
    permissions: permissions === undefined ? undefined : parsePermissions(permissions),
    roles: roles === undefined ? undefined : parseRoles(roles),
  };
}
