// Stores clients. Concurrent changes lose nothing, one admin always remains, nobody over HTTP becomes a reviewer or changes
// one, and each change is one commit with its audit entry.
import { randomBytes } from 'node:crypto';
import { AppError, StoreError } from '../../errors/errors.ts';
import { retry } from '../../lib/async/retry.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { Actor } from '../audit/actor.ts';
import type { Audit } from '../audit/audit.ts';
import { type AccessType, type Client, isClientId, type NewClient, type Permissions } from './client.ts';

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

/** Parses a stored record. A member that a manual edit broke grants less, never more. */
export function parseClientRecord(document: StoredDocument): ClientRecord {
  const client: Client = {
    id: document._id,
    clientId: text(document['clientId']),
    accessType: document['accessType'] === 'admin' ? 'admin' : 'user',
    ...(document['reviewer'] === true ? { reviewer: true } : {}),
    permissions: readPermissions(document['permissions']),
    roles: [],
  };
  return {
    document,
    v: documentVersion(document),
    hash: text(document['secret']),
    status: { client: Object.freeze(client), secretVersion: text(document['stamp']) },
  };
}

/** The members of a client that responses show. */
export function toPublicClient({ clientId, accessType, reviewer, permissions }: Client) {
  const right = reviewer === undefined ? {} : { reviewer };
  return { clientId, accessType, ...right, ...(permissions === null ? {} : { permissions }) };
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

/** The write that applies a change; an empty change only increments `v`. */
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

/** No HTTP path reaches this namespace. */
export const CLIENTS_NAMESPACE: Namespace = { database: null, collection: 'cloister.clients' };

const MAX_ATTEMPTS = 10;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const REVIEWERS: Filter = { kind: 'field', path: 'reviewer', tests: [{ kind: 'eq', value: true }] };
const ADMINS: Filter = { kind: 'field', path: 'accessType', tests: [{ kind: 'eq', value: 'admin' }] };

interface ClientStoreOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly audit: Pick<Audit, 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Who changes records; null for the operator. */
  readonly actor: Actor | null;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

const REVIEWER_CHANGED =
  'This client is a reviewer: only `cloister clients` on the machine changes or removes it';
const REVIEWER_ACTS =
  'A reviewer changes no client but its own secret, so that nobody approves what they posted under another name';

const protectedError = (message: string) => new AppError('CLIENT_PROTECTED', { message });

/** A client before and after a change. */
interface StateChange {
  readonly before?: Client;
  readonly after?: Client;
}

const withId = (clientId: string): Filter => ({
  kind: 'field',
  path: 'clientId',
  tests: [{ kind: 'eq', value: clientId }],
});

/** Creates the store for work until a deadline. Every method also rejects with a StoreError. Invalid ids are not found. */
export function createClientStore({ store, audit, now, actor, deadline }: ClientStoreOptions) {
  const commit = (what: string, { before, after }: StateChange, writes: readonly Write[]) => {
    const action = {
      actor,
      action: `client.${what}`,
      target: (after ?? before)?.clientId ?? '',
      before: hashClient(before),
      after: hashClient(after),
    };
    return audit.commit(action, writes, { deadline });
  };

  const query = async (filter: Filter, limit: number): Promise<readonly ClientRecord[]> => {
    const request = { filter, sort: [['clientId', 1]], skip: 0, limit } as const;
    return (await store.find(CLIENTS_NAMESPACE, request, { deadline })).map(parseClientRecord);
  };

  const find = async (clientId: unknown): Promise<ClientRecord | undefined> =>
    isClientId(clientId) ? (await query(withId(clientId), 1))[0] : undefined;

  const findOrThrow = async (clientId: string): Promise<ClientRecord> => {
    const record = await find(clientId);
    if (record === undefined) throw new AppError('NOT_FOUND', { message: 'No client has this id' });
    return record;
  };

  /**
   * Writes to add to the demotion or removal of an admin: they touch another admin. Of two concurrent requests that would
   * take away the last two admins, one then conflicts, also across processes.
   */
  const touchOtherAdmin = async ({ document, status }: ClientRecord): Promise<readonly Write[]> => {
    if (status.client.accessType !== 'admin') return [];
    const other = (await query(ADMINS, 2)).find((record) => record.document._id !== document._id);
    if (other === undefined) throw new AppError('LAST_ADMIN');
    return [updateClientRecord(CLIENTS_NAMESPACE, other, {})];
  };

  const assertNotReviewer = async (): Promise<void> => {
    if (actor !== null && (await find(actor.clientId))?.status.client.reviewer)
      throw protectedError(REVIEWER_ACTS);
  };

  /** Over HTTP, a reviewer may change its own secret and nothing else, and nobody may change a reviewer. */
  const assertChangeable = async (
    { status: { client } }: ClientRecord,
    change?: ClientRecordChange,
  ): Promise<void> => {
    if (actor === null) return;
    if (actor.clientId === client.clientId && change !== undefined && isOnlySecret(change)) return;
    if (client.reviewer) throw protectedError(REVIEWER_CHANGED);
    await assertNotReviewer();
  };

  return {
    find,
    /** Throws NOT_FOUND. */
    findOrThrow,
    all: () => query(MATCH_ALL, NO_LIMIT),
    hasAny: async (): Promise<boolean> => (await query(MATCH_ALL, 1)).length > 0,
    /** True if there is a reviewer other than the actor. */
    hasReviewer: async (): Promise<boolean> =>
      (await query(REVIEWERS, 2)).some(({ status }) => status.client.clientId !== actor?.clientId),
    /** Throws CLIENT_PROTECTED if the actor is a reviewer, who must not post code as a client of its own making. */
    assertNotReviewer,
    /** Rejects with a `duplicate` StoreError when the client id is taken. */
    async insert(document: StoredDocument): Promise<ClientRecord> {
      const record = parseClientRecord(document);
      const after = record.status.client;
      await commit(after.reviewer ? 'create.reviewer' : 'create', { after }, [
        { kind: 'insert', ns: CLIENTS_NAMESPACE, document },
      ]);
      return record;
    },

    /** Returns the record in its new state. Throws NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
    change: (clientId: string, change: ClientRecordChange): Promise<ClientRecord> =>
      retryConflicts(async () => {
        const record = await findOrThrow(clientId);
        await assertChangeable(record, change);
        const write = updateClientRecord(CLIENTS_NAMESPACE, record, { ...change, lastModifiedAt: now() });
        const changed = parseClientRecord(write.document);
        const states = { before: record.status.client, after: changed.status.client };
        const others = change.accessType === 'user' ? await touchOtherAdmin(record) : [];
        await commit(auditNameOf(change), states, [write, ...others]);
        return changed;
      }),

    /** Throws NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
    remove: (clientId: string): Promise<void> =>
      retryConflicts(async () => {
        const record = await findOrThrow(clientId);
        await assertChangeable(record);
        const removal = {
          kind: 'remove',
          ns: CLIENTS_NAMESPACE,
          id: record.document._id,
          v: record.v,
        } as const;
        await commit('remove', { before: record.status.client }, [
          removal,
          ...(await touchOtherAdmin(record)),
        ]);
      }),
  };
}

function isOnlySecret({ hash, accessType, permissions, reviewer }: ClientRecordChange): boolean {
  return [accessType, permissions, reviewer].every((member) => member === undefined) && hash !== undefined;
}

/** The name of a change in the audit log. */
function auditNameOf(change: ClientRecordChange): string {
  if (change.reviewer !== undefined) return change.reviewer ? 'reviewer.give' : 'reviewer.take';
  return isOnlySecret(change) ? 'secret' : 'update';
}

/** Repeats a read and its commit while others change the same records. Then it is `busy`. */
async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  const isConflict = (error: unknown) => error instanceof StoreError && error.reason === 'conflict';
  return retry(attempt, { shouldRetry: isConflict, maxAttempts: MAX_ATTEMPTS }).catch((error: unknown) => {
    throw isConflict(error) ? new StoreError('busy', { cause: error }) : error;
  });
}
