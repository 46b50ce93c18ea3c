// Client records in the store: looking them up, and changing them so that races lose nothing, an admin remains, nobody over
// HTTP becomes a reviewer or takes one over, and each change is one commit with its entry in the audit log.
import { AppError, StoreError } from '../../errors.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { Audit } from '../audit/audit.ts';
import type { Client } from './client.ts';
import { isClientId } from './client-input.ts';
import {
  type ClientRecord,
  type ClientRecordChange,
  hashClient,
  parseClientRecord,
  updateClientRecord,
} from './client-record.ts';

/** Where client records live: no path over HTTP reaches it. */
export const CLIENTS_NAMESPACE: Namespace = { database: null, collection: 'cloister.clients' };

const ATTEMPTS = 10;
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;
const REVIEWERS: Filter = { kind: 'field', path: 'reviewer', tests: [{ kind: 'eq', value: true }] };
const ADMINS: Filter = { kind: 'field', path: 'accessType', tests: [{ kind: 'eq', value: 'admin' }] };

interface ClientStoreOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly audit: Pick<Audit, 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Client id of who changes records; null for the operator. */
  readonly by: string | null;
  /** When all work must have ended, in epoch milliseconds. */
  readonly deadline: number;
}

const REVIEWER_CHANGED =
  'This client is a reviewer: only `cloister clients` on the machine changes or removes it';
const REVIEWER_ACTS =
  'A reviewer changes no client but its own secret, so that nobody approves what they posted under another name';

const isProtected = (message: string) => new AppError('CLIENT_PROTECTED', { message });

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

/** The records until a deadline. Every method also rejects with the store's StoreError. Ids that cannot exist are unknown. */
export function createClientStore({ store, audit, now, by, deadline }: ClientStoreOptions) {
  const commit = (what: string, { before, after }: StateChange, writes: readonly Write[]) => {
    const action = {
      clientId: by,
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

  const look = async (clientId: unknown): Promise<ClientRecord | undefined> =>
    isClientId(clientId) ? (await query(withId(clientId), 1))[0] : undefined;

  const mustLook = async (clientId: string): Promise<ClientRecord> => {
    const record = await look(clientId);
    if (record === undefined) throw new AppError('NOT_FOUND', { message: 'No client has this id' });
    return record;
  };

  /**
   * The writes that a demotion or removal must carry along: it touches another admin, so that of two requests that race
   * to take the last two admins away one conflicts, in whichever process it runs.
   */
  const witness = async ({ document, status: standing }: ClientRecord): Promise<readonly Write[]> => {
    if (standing.client.accessType !== 'admin') return [];
    const other = (await query(ADMINS, 2)).find((record) => record.document._id !== document._id);
    if (other === undefined) throw new AppError('LAST_ADMIN');
    return [updateClientRecord(CLIENTS_NAMESPACE, other, {})];
  };

  const mustAdminister = async (): Promise<void> => {
    if (by !== null && (await look(by))?.status.client.reviewer) throw isProtected(REVIEWER_ACTS);
  };

  /** Over HTTP the one change around reviewers is that of one's own secret. */
  const mustBeFree = async (
    { status: { client } }: ClientRecord,
    change?: ClientRecordChange,
  ): Promise<void> => {
    if (by === null) return;
    if (by === client.clientId && change !== undefined && isOnlySecret(change)) return;
    if (client.reviewer) throw isProtected(REVIEWER_CHANGED);
    await mustAdminister();
  };

  return {
    /** Undefined when there is none. */
    look,
    /** Throws NOT_FOUND. */
    mustLook,
    all: () => query(MATCH_ALL, EVERY_RECORD),
    hasAny: async (): Promise<boolean> => (await query(MATCH_ALL, 1)).length > 0,
    /** Is there a reviewer other than `by`? */
    hasReviewer: async (): Promise<boolean> =>
      (await query(REVIEWERS, 2)).some(({ status: standing }) => standing.client.clientId !== by),
    /** Throws CLIENT_PROTECTED for a reviewer: they must not post under a name that they made themselves. */
    mustAdminister,
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
      settle(async () => {
        const record = await mustLook(clientId);
        await mustBeFree(record, change);
        const write = updateClientRecord(CLIENTS_NAMESPACE, record, { ...change, lastModifiedAt: now() });
        const changed = parseClientRecord(write.document);
        const states = { before: record.status.client, after: changed.status.client };
        const others = change.accessType === 'user' ? await witness(record) : [];
        await commit(nameOf(change), states, [write, ...others]);
        return changed;
      }),

    /** Throws NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
    remove: (clientId: string): Promise<void> =>
      settle(async () => {
        const record = await mustLook(clientId);
        await mustBeFree(record);
        const removal = {
          kind: 'remove',
          ns: CLIENTS_NAMESPACE,
          id: record.document._id,
          v: record.v,
        } as const;
        await commit('remove', { before: record.status.client }, [removal, ...(await witness(record))]);
      }),
  };
}

function isOnlySecret({ hash, accessType, permissions, reviewer }: ClientRecordChange): boolean {
  return [accessType, permissions, reviewer].every((member) => member === undefined) && hash !== undefined;
}

/** What the audit log calls a change. */
function nameOf(change: ClientRecordChange): string {
  if (change.reviewer !== undefined) return change.reviewer ? 'reviewer.give' : 'reviewer.take';
  return isOnlySecret(change) ? 'secret' : 'update';
}

/** Runs `attempt` anew while others change the records it read. */
async function settle<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreError && error.reason === 'conflict')) throw error;
      if (left === 1) throw new StoreError('busy', { cause: error });
    }
  }
}
