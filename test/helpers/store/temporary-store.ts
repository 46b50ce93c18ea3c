// A real embedded store in a folder of its own that goes when the test is over, and one whose operations can be made to fail.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import type { DocumentStore, OperationOptions } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';

/** Opens a store in an empty folder, or one more on the folder of another test store. */
export async function openTemporaryStore(shared?: string): Promise<{ store: DocumentStore; path: string }> {
  const path = shared ?? (await mkdtemp(join(tmpdir(), 'cloister-store-')));
  const store = await openSqliteDocuments({ path, queueLimit: 1000 });
  onTestFinished(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  return { store, path };
}

type Reason = 'unavailable' | 'timeout' | 'busy';
export type Operation =
  | 'find'
  | 'findText'
  | 'findPage'
  | 'findByIds'
  | 'count'
  | 'commit'
  | 'ensureIndexes'
  | 'stats'
  | 'collections'
  | 'health'
  | 'status';

export interface FailingStore extends DocumentStore {
  /** From now on operations fail: all of them, or those named. */
  fail(reason?: Reason, operations?: readonly Operation[]): void;
  recover(): void;
  /** What was asked for while it was away. */
  readonly failed: Operation[];
  /** What was asked for in all, but what takes no deadline. Epoch milliseconds; undefined where none was given. */
  readonly asked: { readonly operation: Operation; readonly deadline: number | undefined }[];
}

const EVERY: readonly Operation[] = [
  ...(['find', 'findText', 'findPage', 'findByIds', 'count', 'commit'] as const),
  ...(['ensureIndexes', 'stats', 'collections', 'health', 'status'] as const),
];

/** Where the options stand among the arguments. */
const BOUNDS: Readonly<Partial<Record<Operation, number>>> = {
  find: 2,
  findText: 2,
  findPage: 2,
  findByIds: 2,
  count: 2,
  commit: 1,
  stats: 1,
};

/** Puts the switch in front of a store. */
export function failingStore(store: DocumentStore): FailingStore {
  const missed: Operation[] = [];
  const asked: { operation: Operation; deadline: number | undefined }[] = [];
  let away: { readonly reason: Reason; readonly operations: readonly Operation[] } | undefined;
  const guarded =
    <A extends unknown[], R>(operation: Operation, act: (...args: A) => MaybePromise<R>) =>
    async (...args: A): Promise<R> => {
      const at = BOUNDS[operation];
      // What a process does by itself, several times a second, is no request's.
      const isOfProcesses = /"cloister\.(?:changes|processes)"/.test(JSON.stringify(args[0]) ?? '');
      if (at !== undefined && !isOfProcesses) {
        asked.push({ operation, deadline: (args.at(at) as OperationOptions | undefined)?.deadline });
      }
      if (away?.operations.includes(operation) !== true) return act(...args);
      missed.push(operation);
      throw new StoreError(away.reason, { cause: new Error('connect ECONNREFUSED 10.0.0.7:27017') });
    };
  return {
    failed: missed,
    asked,
    fail(reason = 'unavailable', operations = EVERY) {
      away = { reason, operations };
    },
    recover() {
      away = undefined;
    },
    find: guarded('find', store.find.bind(store)),
    findText: guarded('findText', store.findText.bind(store)),
    findPage: guarded('findPage', store.findPage.bind(store)),
    findByIds: guarded('findByIds', store.findByIds.bind(store)),
    count: guarded('count', store.count.bind(store)),
    commit: guarded('commit', store.commit.bind(store)),
    ensureIndexes: guarded('ensureIndexes', store.ensureIndexes.bind(store)),
    stats: guarded('stats', store.stats.bind(store)),
    collections: guarded('collections', store.collections.bind(store)),
    health: guarded('health', store.health.bind(store)),
    status: guarded('status', store.status.bind(store)),
    onCommit: (listener) => store.onCommit(listener),
    close: () => store.close(),
  };
}

/** A fickle store over a real one in a folder of its own; it is there at first. */
export async function openFailingStore(): Promise<FailingStore> {
  return failingStore((await openTemporaryStore()).store);
}
