// How a client is stored: reading a record, making one, and the write that changes one.
import { randomBytes } from 'node:crypto';
import { documentVersion } from '../../lib/document-version.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { AccessType, Client, Permissions } from './client.ts';
import type { NewClient } from './client-input.ts';

/** A client and the mark of its present secret: a token that carries another mark has ended. */
export interface ClientStatus {
  readonly client: Client;
  readonly stamp: string;
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
  readonly reviewer?: boolean | undefined;
  /** Hash of a new secret. */
  readonly hash?: string | undefined;
  readonly lastModifiedAt?: number;
}

type Grants = NonNullable<Permissions['collections']>;

const createStamp = () => randomBytes(12).toString('base64url');

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');

function readGrants(value: Json | undefined): Grants {
  const entries = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return entries.map(({ path, apiVersion }: JsonObject) =>
    typeof apiVersion === 'string' ? { path: text(path), apiVersion } : { path: text(path) },
  );
}

function readPermissions(value: Json | undefined): Permissions | null {
  if (value === null || value === undefined) return null;
  if (!isJsonObject(value)) return {};
  return {
    ...(value['collections'] === undefined ? {} : { collections: readGrants(value['collections']) }),
    ...(value['endpoints'] === undefined ? {} : { endpoints: readGrants(value['endpoints']) }),
  };
}

/** Reads a stored record. What a hand edit broke grants less, never more. */
export function parseClientRecord(document: StoredDocument): ClientRecord {
  const client: Client = {
    id: document._id,
    clientId: text(document['clientId']),
    accessType: document['accessType'] === 'admin' ? 'admin' : 'user',
    ...(document['reviewer'] === true ? { reviewer: true } : {}),
    permissions: readPermissions(document['permissions']),
  };
  return {
    document,
    v: documentVersion(document),
    hash: text(document['secret']),
    status: { client: Object.freeze(client), stamp: text(document['stamp']) },
  };
}

/** What anyone may see of a client. */
export function publicClient({ clientId, accessType, reviewer, permissions }: Client) {
  const right = reviewer === undefined ? {} : { reviewer };
  return { clientId, accessType, ...right, ...(permissions === null ? {} : { permissions }) };
}

/** What the audit log says of a client's state; null for none. The secret is no part of it: its hash belongs nowhere else. */
export function hashClient(client: Client | undefined): string | null {
  return client === undefined ? null : sha256Hex(`${JSON.stringify(publicClient(client), null, 2)}\n`);
}

interface RecordOrigin {
  readonly _id: string;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly reviewer?: boolean;
}

export function createClientRecord(
  { clientId, accessType, permissions }: NewClient,
  { _id, hash, now, reviewer = false }: RecordOrigin,
): StoredDocument {
  return {
    _id,
    clientId,
    secret: hash,
    stamp: createStamp(),
    accessType,
    ...(reviewer ? { reviewer } : {}),
    permissions: permissions as JsonObject | null,
    createdAt: now,
    v: 1,
  };
}

/** The write that applies a change; an empty change only counts `v` up. */
export function updateClientRecord(
  ns: Namespace,
  record: ClientRecord,
  change: ClientRecordChange,
): Extract<Write, { kind: 'update' }> {
  const { accessType, permissions, reviewer, hash, lastModifiedAt } = change;
  const differences: JsonObject = {
    v: record.v + 1,
    ...(accessType === undefined ? {} : { accessType }),
    ...(permissions === undefined ? {} : { permissions: permissions as JsonObject | null }),
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
