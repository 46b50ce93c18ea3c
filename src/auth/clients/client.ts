// A client of the API, and the validation of what requests and commands say about one.
import { AppError } from '../../errors/errors.ts';
import { isJsonObject } from '../../lib/json/json.ts';

export type AccessType = 'admin' | 'user';

/** What a caller does with the documents of a collection. */
export const ACCESS_ACTIONS = ['read', 'create', 'update', 'delete', 'history'] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];

export interface EndpointGrant {
  readonly path: string;
  /** Absent: every version. */
  readonly apiVersion?: string;
}

export interface CollectionGrant extends EndpointGrant {
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
  readonly collections?: readonly CollectionGrant[];
  readonly endpoints?: readonly EndpointGrant[];
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

/** A path segment: no slash, no space, and neither `.` nor `..`. */
const CLIENT_ID = /^[A-Za-z0-9_][A-Za-z0-9_.@:+~-]{0,199}$/;
/** Lengths of a secret that a person chose, in characters. */
const MIN_SECRET_LENGTH = 8;
export const MAX_SECRET_LENGTH = 1024;
const MAX_GRANTS = 1000;
const MAX_NAME_LENGTH = 200;

type Grants = NonNullable<Permissions['collections']>;

export interface NewClient {
  readonly clientId: string;
  /** Undefined: the server generates one. */
  readonly secret: string | undefined;
  readonly accessType: AccessType;
  readonly permissions: Permissions | null;
}

/** Undefined members keep their value; `permissions: null` removes every restriction. */
export interface ClientChange {
  readonly accessType: AccessType | undefined;
  readonly permissions: Permissions | null | undefined;
}

/** Only an operator with access to the machine may give the right to approve. */
const MACHINE_ONLY = 'is given on the machine only: `cloister clients set <id> --reviewer`';

const badField = (field: string, message: string) => new AppError('BAD_REQUEST', { field, message });

function members(value: unknown, field: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) {
    throw field === ''
      ? new AppError('BAD_REQUEST', { message: 'must be a JSON object' })
      : badField(field, 'must be an object');
  }
  if (Object.hasOwn(value, 'reviewer')) {
    throw badField(field === '' ? 'reviewer' : `${field}.reviewer`, MACHINE_ONLY);
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw badField(
      field === '' ? unknown : `${field}.${unknown}`,
      `is unknown; known are ${known.join(', ')}`,
    );
  }
  return value;
}

/** True for a valid client id: 1 to 200 of A-Z a-z 0-9 `_ . @ : + ~ -`, beginning with a letter, digit or `_`. */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && CLIENT_ID.test(value);
}

function parseAccessType(value: unknown): AccessType {
  if (value === 'admin' || value === 'user') return value;
  throw badField('accessType', 'must be "admin" or "user"');
}

function parseName(value: unknown, field: string): string {
  const fits =
    typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH && value.isWellFormed();
  if (!fits || value.includes('/')) {
    throw badField(field, `must be a name: 1 to ${MAX_NAME_LENGTH} characters without a slash`);
  }
  return value;
}

function parseGrants(value: unknown, field: string): Grants {
  if (!Array.isArray(value) || value.length > MAX_GRANTS) {
    throw badField(field, `must be a list of at most ${MAX_GRANTS} entries`);
  }
  return value.map((entry: unknown, index) => {
    const at = `${field}.${index}`;
    const grant = members(entry, at, ['path', 'apiVersion']);
    const path = parseName(grant['path'], `${at}.path`);
    if (grant['apiVersion'] === undefined) return { path };
    return { path, apiVersion: parseName(grant['apiVersion'], `${at}.apiVersion`) };
  });
}

function parsePermissions(value: unknown): Permissions | null {
  if (value === null || value === undefined) return null;
  const given = members(value, 'permissions', ['collections', 'endpoints']);
  const { collections, endpoints } = given;
  return {
    ...(collections === undefined
      ? {}
      : { collections: parseGrants(collections, 'permissions.collections') }),
    ...(endpoints === undefined ? {} : { endpoints: parseGrants(endpoints, 'permissions.endpoints') }),
  };
}

/** Validates a secret that a person chose: 8 to 1024 characters. Throws BAD_REQUEST. */
export function parseSecret(value: unknown): string {
  const fits =
    typeof value === 'string' &&
    value.length >= MIN_SECRET_LENGTH &&
    value.length <= MAX_SECRET_LENGTH &&
    value.isWellFormed();
  if (!fits)
    throw badField('secret', `A secret is text of ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH} characters`);
  return value;
}

/** Validates a new client. Throws BAD_REQUEST naming the field. `accessType` is "user" when absent. */
export function parseNewClient(body: unknown): NewClient {
  const given = members(body, '', ['clientId', 'secret', 'accessType', 'permissions']);
  const { clientId, secret, accessType } = given;
  if (!isClientId(clientId)) {
    throw badField(
      'clientId',
      'A client id is 1 to 200 letters, digits or any of _ . @ : + ~ - and begins with a letter, a digit or _',
    );
  }
  return {
    clientId,
    secret: secret === undefined ? undefined : parseSecret(secret),
    accessType: accessType === undefined ? 'user' : parseAccessType(accessType),
    permissions: parsePermissions(given['permissions']),
  };
}

/** Validates a change of a client. Throws BAD_REQUEST naming the field. `clientId` may be repeated, but not changed. */
export function parseClientChange(clientId: string, body: unknown): ClientChange {
  const given = members(body, '', ['clientId', 'accessType', 'permissions']);
  const { accessType, permissions } = given;
  if (given['clientId'] !== undefined && given['clientId'] !== clientId) {
    throw badField('clientId', 'cannot be changed');
  }
  return {
    accessType: accessType === undefined ? undefined : parseAccessType(accessType),
    permissions: permissions === undefined ? undefined : parsePermissions(permissions),
  };
}
