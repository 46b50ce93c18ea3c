// The stored record of a client: parsing, and the writes that change it.

import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors/errors.ts';
import { ACCESS_ACTIONS, isAccessAction } from '../../lib/access-actions.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import {
  type AccessType,
  type Client,
  type CollectionPermission,
  type EndpointPermission,
  isRole,
  MAX_ROLES,
  type Permissions,
} from './client.ts';
import type { NewClient } from './parse-client.ts';

const ADMIN_READS_ONLY =
  'An admin may do everything, whatever its permissions: it cannot be limited to reading';

/** A client and the version of its secret: a token with another stamp is no longer valid. */
export interface ClientStatus {
  readonly client: Client;
  readonly secretVersion: string;
}

export interface ClientRecord {
  readonly document: StoredDocument;
  readonly v: number;
  readonly hash: string;
  readonly status: ClientStatus;
}

export interface ClientRecordChange {
  readonly accessType?: AccessType | undefined;
  readonly permissions?: Permissions | null | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly reviewer?: boolean | undefined;
  /** True: the client may only read from now on; false: this restriction is lifted. */
  readonly readOnly?: boolean | undefined;
  /** Hash of a new secret. */
  readonly hash?: string | undefined;
  readonly lastModifiedAt?: number;
}

const createStamp = () => randomBytes(12).toString('base64url');

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');

const readList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const readActions = (value: Json | undefined) => readList(value).filter(isAccessAction);

/** The value of a member that is there, under its name: one that is not text names nothing. */
const readName = <K extends string>(grant: JsonObject, name: K): Partial<Record<K, string>> =>
  grant[name] === undefined ? {} : ({ [name]: text(grant[name]) } as Record<K, string>);

const readEndpointPermission = (grant: JsonObject): EndpointPermission => ({
  path: text(grant['path']),
  ...readName(grant, 'apiVersion'),
});

const readCollectionPermission = (grant: JsonObject): CollectionPermission => ({
  ...readEndpointPermission(grant),
  ...readName(grant, 'database'),
  ...(grant['actions'] === undefined ? {} : { actions: readActions(grant['actions']) }),
});

function readPermissions(value: Json | undefined): Permissions | null {
  if (value === null || value === undefined) return null;
  if (!isJsonObject(value)) return {};
  const { actions, collections, endpoints } = value;
  const grants = (list: Json) => readList(list).filter(isJsonObject);
  return {
    ...(actions === undefined ? {} : { actions: readActions(actions) }),
    ...(collections === undefined ? {} : { collections: grants(collections).map(readCollectionPermission) }),
    ...(endpoints === undefined ? {} : { endpoints: grants(endpoints).map(readEndpointPermission) }),
  };
}

/** Parses a stored record. A member that a manual edit broke grants less, never more. */
export function parseClientRecord(document: StoredDocument): ClientRecord {
  const client: Client = {
    id: document._id,
    clientId: text(document['clientId']),
    accessType: document['accessType'] === 'admin' ? 'admin' : 'user',
    ...(document['reviewer'] === true ? { reviewer: true } : {}),
    permissions: readPermissions(document['permissions']),
    roles: Object.freeze(readList(document['roles']).filter(isRole).slice(0, MAX_ROLES)),
  };
  return {
    document,
    v: documentVersion(document),
    hash: text(document['secret']),
    status: { client: Object.freeze(client), secretVersion: text(document['stamp']) },
  };
}

/** The members of a client that responses show, in a fixed order; those that restrict or add nothing are left out. */
export function toPublicClient({ clientId, accessType, reviewer, roles, permissions }: Client) {
  return {
    clientId,
    accessType,
    ...(reviewer === undefined ? {} : { reviewer }),
    ...(roles.length === 0 ? {} : { roles }),
    ...(permissions === null ? {} : { permissions }),
  };
}

/** The hash that audit entries hold for a client; null for none. It leaves out the secret, whose hash must not spread. */
export function hashClient(client: Client | undefined): string | null {
  return client === undefined ? null : sha256Hex(`${JSON.stringify(toPublicClient(client), null, 2)}\n`);
}

interface RecordOrigin {
  readonly _id: string;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly reviewer?: boolean;
}

export function createClientRecord(
  { clientId, accessType, permissions, roles }: NewClient,
  { _id, hash, now, reviewer = false }: RecordOrigin,
): StoredDocument {
  return {
    _id,
    clientId,
    secret: hash,
    stamp: createStamp(),
    accessType,
    ...(reviewer ? { reviewer } : {}),
    roles,
    permissions: permissions as JsonObject | null,
    createdAt: now,
    v: 1,
  };
}

/** What a client that may only read is permitted: collections that it could not use stay closed. */
function limitToReading(permissions: Permissions | null): Permissions {
  const isClosed = permissions !== null && permissions.actions === undefined;
  return { ...(isClosed ? { collections: [] } : {}), ...permissions, actions: ['read'] };
}

/** The opposite. Permissions that are not limited to reading stay as they are. */
function liftReadOnly(permissions: Permissions | null): Permissions | null {
  if (permissions?.actions?.join() !== 'read') return permissions;
  const { actions: _, ...rest } = permissions;
  if (rest.collections !== undefined) return rest;
  return rest.endpoints === undefined ? null : { actions: ACCESS_ACTIONS, ...rest };
}

function changedPermissions(
  { status: { client } }: ClientRecord,
  { permissions, readOnly }: ClientRecordChange,
): Permissions | null | undefined {
  if (readOnly === undefined) return permissions;
  const present = permissions === undefined ? client.permissions : permissions;
  if (!readOnly) return liftReadOnly(present);
  if (client.accessType === 'admin') throw new AppError('BAD_REQUEST', { message: ADMIN_READS_ONLY });
  return limitToReading(present);
}

/** The write that applies a change; an empty change only increments `v`. Throws BAD_REQUEST for an admin that is to only read. */
export function updateClientRecord(
  ns: Namespace,
  record: ClientRecord,
  change: ClientRecordChange,
): Extract<Write, { kind: 'update' }> {
  const { accessType, roles, reviewer, hash, lastModifiedAt } = change;
  const permissions = changedPermissions(record, change);
  const differences: JsonObject = {
    v: record.v + 1,
    ...(accessType === undefined ? {} : { accessType }),
    ...(permissions === undefined ? {} : { permissions: permissions as JsonObject | null }),
    ...(roles === undefined ? {} : { roles }),
    ...(reviewer === undefined ? {} : { reviewer }),
    ...(hash === undefined ? {} : { secret: hash, stamp: createStamp() }),
    ...(lastModifiedAt === undefined ? {} : { lastModifiedAt }),
  };
  return {
    kind: 'update',
    ns,
    id: record.document._id,
    v: record.v,
    document: { ...record.document, ...differences, _id: record.document._id },
    changed: Object.keys(differences),
  };
}
