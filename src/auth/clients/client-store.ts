// Stores clients. Concurrent changes lose nothing, one admin always remains, nobody over HTTP becomes a reviewer or changes
// one, and each change is one commit with its audit entry.

import { AppError, StoreError } from '../../errors/errors.ts';
import { retry } from '../../lib/async/retry.ts';
import { isClientId } from '../../lib/client-names.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { Actor } from '../audit/actor.ts';
import type { Audit } from '../audit/audit.ts';
import { type Client, issuerOfId } from './client.ts';
import {
  type ClientRecord,
  type ClientRecordChange,
  hashClient,
  parseClientRecord,
  updateClientRecord,
} from './client-record.ts';

/** No HTTP path reaches this namespace. */
export const CLIENTS_NAMESPACE: Namespace = { database: null, collection: 'cloister.clients' };

const MAX_ATTEMPTS = 10;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const REVIEWERS: Filter = { kind: 'field', path: 'reviewer', tests: [{ kind: 'eq', value: true }] };
const ADMINS: Filter = { kind: 'field', path: 'accessType', tests: [{ kind: 'eq', value: 'admin' }] };

interface ClientStoreOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly audit: Pick<Audit, 'commit'>;
  /** Tells other processes that a client has changed. Never rejects. */
  readonly announce?: ((clientId: string) => Promise<void>) | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called with each client as it is before its change or removal, which does not happen where this throws. */
  readonly check?: ((client: Client) => void) | undefined;
  /** Who changes records; null for the operator. */
  readonly actor: Actor | null;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Names of other issuers: clients with ids of their users have no access. */
  readonly issuerNames?: readonly string[];
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
export function createClientStore(options: ClientStoreOptions) {
  const { store, audit, announce, check, now, actor, deadline, issuerNames = [] } = options;
  const isUsable = ({ status }: ClientRecord) =>
    issuerOfId(status.client.clientId, issuerNames) === undefined;

  const commit = async (what: string, { before, after }: StateChange, writes: readonly Write[]) => {
    const action = {
      actor,
      action: `client.${what}`,
      target: (after ?? before)?.clientId ?? '',
      before: hashClient(before),
      after: hashClient(after),
    };
    await audit.commit(action, writes, { deadline });
    await announce?.(action.target);
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
    const others = (await query(ADMINS, NO_LIMIT)).filter((record) => record.document._id !== document._id);
    const other = others.find(isUsable);
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
    /** The client, if it has access: one with the id of a user of another issuer was made before that was configured. */
    findUsable: async (clientId: string): Promise<ClientRecord | undefined> => {
      const record = await find(clientId);
      return record !== undefined && isUsable(record) ? record : undefined;
    },
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
        check?.(record.status.client);
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
        check?.(record.status.client);
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

function isOnlySecret(change: ClientRecordChange): boolean {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return given.length > 0 && given.every(([member]) => member === 'hash');
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
