// The newest changes of a deployment, in one small document: processes look at its number several times a second, and read what
// it lists when that has moved.
import { isLostRace } from '../errors/errors.ts';
import { jitteredBackOff, retry } from '../lib/async/retry.ts';
import { filterById } from '../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument } from '../stores/ports.ts';
import type { Change } from './coordination.ts';

// Not reachable over HTTP.
const NAMESPACE: Namespace = { database: null, collection: 'cloister.changes' };
const ID = '0'.repeat(24);
/** Whoever has missed more than these takes everything for changed. */
const MAX_KEPT = 200;
const BACK_OFF = { firstMs: 5, maxMs: 100 };

interface RecordedChange extends Change {
  /** Counts up by one from change to change. */
  readonly seq: number;
  /** Id of the process that announced it. */
  readonly by: string;
}

export interface ChangeLogDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Every method rejects with the store's StoreError. */
export interface ChangeLog {
  /** Number of the newest change; 0 where there is none. */
  newest(): Promise<number>;
  /** Appends a change, and resolves with its number. */
  append(change: Change, by: string): Promise<number>;
  /** The changes after a number, oldest first; `changes` is undefined where some of them are not kept any more. */
  since(seq: number): Promise<{ readonly newest: number; readonly changes?: readonly RecordedChange[] }>;
}

const numberOf = (document: StoredDocument | undefined) => Number(document?.['v'] ?? 0);

function changesIn(document: StoredDocument | undefined): readonly RecordedChange[] {
  const { changes } = (document ?? {}) as { readonly changes?: readonly RecordedChange[] };
  return changes ?? [];
}

/** Opens the log, which need not exist yet. */
export function createChangeLog({ store, now, timeoutMs }: ChangeLogDeps): ChangeLog {
  const read = async (deadline: number, fields?: readonly string[]) => {
    const projection = fields === undefined ? {} : { projection: { include: fields } };
    const query = { filter: filterById(ID), sort: [], skip: 0, limit: 1, ...projection };
    return (await store.find(NAMESPACE, query, { deadline }))[0];
  };

  const tryAppend = async (change: Change, by: string, deadline: number): Promise<number> => {
    const stored = await read(deadline);
    const v = numberOf(stored);
    const seq = v + 1;
    const { kind, target } = change;
    const changes = [...changesIn(stored), { seq, kind, target, by }].slice(-MAX_KEPT);
    // What later versions keep beside it stays.
    const document = { ...stored, _id: ID, v: seq, changes: changes.map((one) => ({ ...one })) };
    const write =
      stored === undefined
        ? ({ kind: 'insert', ns: NAMESPACE, document } as const)
        : ({ kind: 'update', ns: NAMESPACE, id: ID, v, document, changed: ['v', 'changes'] } as const);
    await store.commit([write], { deadline });
    return seq;
  };

  return {
    newest: async () => numberOf(await read(now() + timeoutMs, ['v'])),
    append(change, by) {
      const deadline = now() + timeoutMs;
      return retry(() => tryAppend(change, by, deadline), {
        shouldRetry: (error) => isLostRace(error) && now() < deadline,
        delayMs: (attempt) => jitteredBackOff(attempt, BACK_OFF),
      });
    },
    async since(seq) {
      const stored = await read(now() + timeoutMs);
      const newest = numberOf(stored);
      const changes = changesIn(stored).filter((change) => change.seq > seq);
      // A number that has gone back is that of a database which was restored.
      const isComplete = newest >= seq && changes.length === newest - seq;
      return isComplete ? { newest, changes } : { newest };
    },
  };
}
