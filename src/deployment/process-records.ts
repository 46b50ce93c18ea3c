// The records of the processes that serve one database: who they are, when they were last seen, and which changes they have in
// force.
import { StoreError } from '../errors/errors.ts';
import { filterById, MATCH_ALL } from '../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument } from '../stores/ports.ts';

// Not reachable over HTTP.
const NAMESPACE: Namespace = { database: null, collection: 'cloister.processes' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;

export interface ProcessRecord {
  readonly id: string;
  /** Name of the machine, and what tells it from others of that name: processes of one are seen by each other. */
  readonly host: string;
  readonly machine: string;
  readonly pid: number;
  /** Where it listens for the content API: `hostname:port`. */
  readonly address: string;
  /** Of the package. */
  readonly version: string;
  /** Epoch milliseconds of its start, and of the last time when it was seen, by its own clock. */
  readonly since: number;
  readonly lastSeen: number;
  /** Counts up while it lives: others need not trust its clock. */
  readonly beat: number;
  /** Number of the newest change that it has in force. */
  readonly applied: number;
  /** Keyed hashes of settings that must be the same in all processes. */
  readonly settings: Readonly<Record<string, string>>;
  /** It cannot reach the cache that processes share: nobody may use it. */
  readonly cacheAway: boolean;
}

export interface ProcessRecordsDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Every method rejects with the store's StoreError. A record is only written by its own process, and removed by any. */
export interface ProcessRecords {
  list(): Promise<readonly ProcessRecord[]>;
  /** Stores the record of this process, whether or not another one has removed it. Resolves with false where one has. */
  save(record: ProcessRecord): Promise<boolean>;
  /** Resolves with false where it was gone already. */
  remove(id: string): Promise<boolean>;
}

const toDocument = ({ id, ...rest }: ProcessRecord, v: number): StoredDocument => ({ _id: id, v, ...rest });

function toRecord({ _id, v, ...rest }: StoredDocument): ProcessRecord {
  return { id: _id, ...rest } as unknown as ProcessRecord;
}

const isGone = (error: unknown) => error instanceof StoreError && error.reason === 'conflict';

/** Opens the records, of which there may be none. */
export function createProcessRecords({ store, now, timeoutMs }: ProcessRecordsDeps): ProcessRecords {
  /** The `v` of the record that `save` stored last, by id. */
  const stored = new Map<string, number>();
  const timely = () => ({ deadline: now() + timeoutMs });
  const versionOf = async (id: string): Promise<number | undefined> => {
    const query = { filter: filterById(id), sort: [], skip: 0, limit: 1, projection: { include: ['v'] } };
    const [found] = await store.find(NAMESPACE, query, timely());
    return found === undefined ? undefined : Number(found['v']);
  };
  const insert = async (record: ProcessRecord) => {
    await store.commit([{ kind: 'insert', ns: NAMESPACE, document: toDocument(record, 1) }], timely());
    stored.set(record.id, 1);
  };

  return {
    async list() {
      const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: EVERY_RECORD } as const;
      return (await store.find(NAMESPACE, query, timely())).map(toRecord);
    },
    async save(record) {
      const { id } = record;
      // After an error nobody knows whether the last state was stored.
      const v = stored.get(id) ?? (await versionOf(id));
      stored.delete(id);
      if (v === undefined) {
        await insert(record);
        return false;
      }
      const document = toDocument(record, v + 1);
      const changed = Object.keys(document);
      try {
        await store.commit([{ kind: 'update', ns: NAMESPACE, id, v, document, changed }], timely());
      } catch (error) {
        if (!isGone(error)) throw error;
        await insert(record);
        return false;
      }
      stored.set(id, v + 1);
      return true;
    },
    async remove(id) {
      const v = await versionOf(id);
      if (v === undefined) return false;
      try {
        await store.commit([{ kind: 'remove', ns: NAMESPACE, id, v }], timely());
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
      return true;
    },
  };
}
