// Records of modules in the database: the state of each module, and every version that was ever published or pending.
import type { Audit } from '../../auth/audit/audit.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { StoreError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { type Filter, filterById, filterByIds, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { CodeMetadata } from './code-validation.ts';

// Not reachable over HTTP.
const MODULE_STATES: Namespace = { database: null, collection: 'cloister.modules' };
const VERSIONS: Namespace = { database: null, collection: 'cloister.moduleVersions' };
// Apart from the versions, so that listing those never reads megabytes of code.
const SOURCES: Namespace = { database: null, collection: 'cloister.moduleSources' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;
/** Lists of versions leave out what may be large. */
const WITHOUT_DESCRIPTIONS = { exclude: ['metadata.openapi'] };

/** Something that the module did against its limits. */
export interface RecordedViolation {
  readonly kind: 'kill' | 'crash' | 'violation';
  readonly limit: string;
  readonly at: number;
  /** Number of the code's version. */
  readonly version: number;
}

/** `operator`: by a command on the machine. */
export type SuspendedBy = 'admin' | 'breaker' | 'operator';

/** State of a module that survives restarts, beside its files. */
export interface ModuleState {
  /** `endpoint:1.0/report`. */
  readonly key: string;
  /** Greatest number that a version ever had. */
  readonly last: number;
  /** The value of `last` when the module was removed: code in its file later is none of those versions. */
  readonly removedAt: number;
  /** The active version; null when the module was removed, or waits for its first approval. */
  readonly active: VersionRecord | null;
  /** Hash of a file that a start could not activate. */
  readonly broken: string | null;
  readonly suspendedBy: SuspendedBy | null;
  /** Client id of the admin who suspended it. */
  readonly suspendedClient: string | null;
  /** Epoch milliseconds. */
  readonly suspendedAt: number | null;
  /** Its code has ended a process, or lost an isolate at the limit of its heap. */
  readonly quarantined: boolean;
  /** Hashes of code that has, newest last: the same code under the same name stays in quarantine. */
  readonly faulty: readonly string[];
  /** When processes or isolates ended that count towards suspension, newest last, whatever version it was; epoch milliseconds. */
  readonly ends: readonly number[];
  /** The newest version that the circuit breaker judged: later ends of it and of older ones do not count. */
  readonly judged: number;
  /** Versions that wait for a reviewer, ascending. */
  readonly pending: readonly number[];
  /** The newest version that a reviewer refused; 0: none. */
  readonly refused: number;
  /** Author of the active policy; null without one, or for a file laid by hand. */
  readonly policyBy: string | null;
  /** Newest last. */
  readonly violations: readonly RecordedViolation[];
}

/** Why a version never becomes active. */
interface Rejection {
  /** The reviewer. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Text of the reviewer for the author. */
  readonly reason: string;
}

/** A version without its source. */
export interface VersionRecord {
  readonly version: number;
  readonly sha256: string;
  readonly clientId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly metadata: CodeMetadata;
  /** The reviewer who approved it. */
  readonly approvedBy: string | null;
  readonly approvedAt: number | null;
  /** Absent unless a reviewer refused it. */
  readonly refused?: Rejection;
  /** A policy that becomes active with this version, once approved. */
  readonly policy: JsonObject | null;
  /** Hash of the policy under which it was to run when it was posted: that one, or the active one. Null: none. */
  readonly policySha256: string | null;
}

interface Version {
  readonly record: VersionRecord;
  readonly source: string;
}

interface ModuleRecordsDeps {
  readonly store: DocumentStore;
  readonly audit: Pick<Audit, 'commit' | 'recordChange'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

export type ModuleRecords = ReturnType<typeof createModuleRecords>;

const recordIdOf = (text: string) => sha256Hex(text).slice(0, 24);
const versionId = (key: string, version: number) => recordIdOf(`${key}#${version}`);
const equal = (path: string, value: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value }],
});

/** The state of an unknown module. */
export function initialModuleState(key: string): ModuleState {
  return {
    key,
    last: 0,
    removedAt: 0,
    active: null,
    broken: null,
    pending: [],
    refused: 0,
    violations: [],
    suspendedBy: null,
    suspendedClient: null,
    suspendedAt: null,
    policyBy: null,
    quarantined: false,
    faulty: [],
    ends: [],
    judged: 0,
  };
}

const toDocument = (id: string, v: number, value: object): StoredDocument =>
  ({ ...value, _id: id, v }) as StoredDocument;

function toVersion({ _id, v, key, ...record }: StoredDocument): VersionRecord {
  return record as unknown as VersionRecord;
}

function toModuleState({ _id, v, ...state }: StoredDocument): ModuleState {
  return state as unknown as ModuleState;
}

/** Loads the state of every module, present or removed. Rejects with the store's StoreError. */
export async function loadModuleStates({
  store,
  now,
  queryMs,
}: Omit<ModuleRecordsDeps, 'audit'>): Promise<readonly ModuleState[]> {
  const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: EVERY_RECORD } as const;
  return (await store.find(MODULE_STATES, query, { deadline: now() + queryMs })).map(toModuleState);
}

/** The write that replaces the content of a stored record. It conflicts with any other one since that was read. */
function replacement(ns: Namespace, { _id: id, v: before }: StoredDocument, value: object): Write {
  const v = Number(before);
  const document = toDocument(id, v + 1, value);
  return { kind: 'update', ns, id, v, document, changed: Object.keys(document) };
}

/** A reviewer has approved or refused it. */
function isDecided({ approvedBy, refused }: VersionRecord): boolean {
  return approvedBy !== null || refused !== undefined;
}

/**
 * Creates the records. Every method rejects with the store's StoreError. Changes of one module must not run side by side. An
 * audit entry is one commit with its change.
 */
export function createModuleRecords({ store, audit, now, queryMs }: ModuleRecordsDeps) {
  const timely = () => ({ deadline: now() + queryMs });
  const one = async (ns: Namespace, id: string): Promise<StoredDocument | undefined> => {
    const query = { filter: filterById(id), sort: [], skip: 0, limit: 1 } as const;
    return (await store.find(ns, query, timely()))[0];
  };

  /** The write that replaces the content of a record, or inserts it. */
  const put = async (ns: Namespace, id: string, value: object): Promise<Write> => {
    const stored = await one(ns, id);
    if (stored === undefined) return { kind: 'insert', ns, document: toDocument(id, 1, value) };
    return replacement(ns, stored, value);
  };

  const oldestFirst = (filter: Filter) => {
    const page = { sort: [['version', 1]], skip: 0, limit: EVERY_RECORD } as const;
    return store.find(VERSIONS, { filter, ...page, projection: WITHOUT_DESCRIPTIONS }, timely());
  };
  const commit = (writes: readonly Write[], entry: AuditAction | undefined): Promise<unknown> =>
    entry === undefined ? store.commit(writes, timely()) : audit.commit(entry, writes, timely());

  return {
    /** Creates the index of versions by module. Call before anything else. */
    async ensureIndexes(): Promise<void> {
      const keys = [
        { path: 'key', direction: 1 },
        { path: 'version', direction: 1 },
      ] as const;
      const index = { name: 'key_version', keys, unique: true, sparse: false };
      const { built } = await store.ensureIndexes(VERSIONS, [index]);
      await built;
    },
    /** Loads the state of every module, present or removed. */
    loadStates: () => loadModuleStates({ store, now, queryMs }),
    /** Loads the state of one module, present or removed. */
    async loadState(key: string): Promise<ModuleState | undefined> {
      const stored = await one(MODULE_STATES, recordIdOf(key));
      return stored && toModuleState(stored);
    },
    /** Stores a state; `others` are part of the same commit. */
    async saveState(state: ModuleState, entry?: AuditAction, others: readonly Write[] = []): Promise<void> {
      const writes = [await put(MODULE_STATES, recordIdOf(state.key), state), ...others];
      await commit(writes, entry);
    },
    /**
     * Stores a version with the state that counts it in one commit. `publish`, where given, runs after it; when it fails, the
     * audit log says so.
     */
    async addVersion(
      state: ModuleState,
      { record, source }: Version,
      entry: AuditAction,
      publish?: () => Promise<void>,
    ): Promise<void> {
      const id = versionId(state.key, record.version);
      const { key } = state;
      const writes: readonly Write[] = [
        { kind: 'insert', ns: VERSIONS, document: toDocument(id, 1, { key, ...record }) },
        { kind: 'insert', ns: SOURCES, document: toDocument(id, 1, { key, source }) },
        await put(MODULE_STATES, recordIdOf(key), state),
      ];
      if (publish === undefined) await audit.commit(entry, writes, timely());
      else await audit.recordChange(entry, publish, { writes, ...timely() });
    },
    /**
     * Stores what a reviewer decided about a version, together with the state and the audit entry, if any. Rejects with a
     * StoreError `conflict` where the version was decided before, by whatever process.
     */
    async saveDecision(state: ModuleState, record: VersionRecord, entry?: AuditAction): Promise<void> {
      const { key } = state;
      const id = versionId(key, record.version);
      const stored = await one(VERSIONS, id);
      if (stored === undefined || isDecided(toVersion(stored))) throw new StoreError('conflict');
      const writes = [
        replacement(VERSIONS, stored, { key, ...record }),
        await put(MODULE_STATES, recordIdOf(key), state),
      ];
      await commit(writes, entry);
    },
    /** The versions with these keys and numbers, by key, without their descriptions; oldest first. */
    async findVersions(
      wanted: readonly { readonly key: string; readonly version: number }[],
    ): Promise<ReadonlyMap<string, readonly VersionRecord[]>> {
      const ids = wanted.map(({ key, version }) => versionId(key, version));
      const found = ids.length === 0 ? [] : await oldestFirst(filterByIds(ids));
      const byKey = Map.groupBy(found, ({ key }) => String(key));
      return new Map([...byKey].map(([key, documents]) => [key, documents.map(toVersion)]));
    },
    /** Oldest first, without their descriptions. */
    async listVersions(key: string): Promise<readonly VersionRecord[]> {
      return (await oldestFirst(equal('key', key))).map(toVersion);
    },
    /** Clients that posted code with this hash under any name. Versions that came with a policy do not count: their author is the policy's. */
    async findPosters(sha256: string): Promise<readonly string[]> {
      const filter = equal('sha256', sha256);
      const page = { sort: [], skip: 0, limit: EVERY_RECORD, projection: WITHOUT_DESCRIPTIONS } as const;
      const found = (await store.find(VERSIONS, { filter, ...page }, timely())).map(toVersion);
      return found.flatMap(({ clientId, policy }) =>
        clientId === null || policy !== null ? [] : [clientId],
      );
    },
    /** The greatest version number of a module, active or not; 0 where there is none. */
    async lastVersion(key: string): Promise<number> {
      const query = { filter: equal('key', key), sort: [['version', -1]], skip: 0, limit: 1 } as const;
      const [last] = await store.find(VERSIONS, query, timely());
      return typeof last?.['version'] === 'number' ? last['version'] : 0;
    },
    async findVersion(key: string, version: number): Promise<VersionRecord | undefined> {
      const found = await one(VERSIONS, versionId(key, version));
      return found?.['key'] === key ? toVersion(found) : undefined;
    },
    async findSource(key: string, version: number): Promise<string | undefined> {
      const found = await one(SOURCES, versionId(key, version));
      return found?.['key'] === key && typeof found['source'] === 'string' ? found['source'] : undefined;
    },
  };
}
