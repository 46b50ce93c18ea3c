// Every error that a server can answer with, in whatever command: only a client's mistake is a 4xx, and nothing is a 500.
import type { Document } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { type StoreError, toAppError } from '../../../src/errors/errors.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { BOOKS, index, insert, NEIGHBOUR, query } from '../../contracts/store-cases.ts';
import { describeMongo, ownServer, rawClient } from '../../helpers/store/mongo-servers.ts';
import { remove, update } from './commits/workbench.ts';
import { createLogLines } from './log-lines.ts';

/** All numbers of https://github.com/mongodb/mongo/blob/r6.0.5/src/mongo/base/error_codes.yml, and some without a name. */
const CODES = [
  ...Array.from({ length: 400 }, (_, at) => at + 1),
  ...[8000, 9001, 10003, 10058, 10107, 10334, 11000, 11001, 11600, 11601, 11602, 12582, 12586, 12587],
  ...[13113, 13388, 13435, 13436, 14031, 16746, 17280, 17419, 17420, 20250, 46841, 50768, 51075, 98765],
];

/** After each of these the driver looks for another server for half a second: they are tried elsewhere. */
const OF_ANOTHER_SERVER: ReadonlySet<number> = new Set([
  ...[6, 7, 89, 91, 189, 9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);

/** The fail point does not answer with these as a server would: the first ends it, others lack what belongs to them. */
const NOT_TO_BE_FAKED: ReadonlySet<number> = new Set([330, 121, 11000]);

/** For all operations: codes that nobody lists, a query that was killed, a full disk, one that means each other reason. */
const A_FEW = [8, 26, 94, 175, 211, 237, 10003, 98765, 14031, 50, 43, 117];

/** The mistakes of clients, with their status. All else that a server says is a failure of the database. */
const MISTAKES = new Map([
  [121, 400], // DocumentValidationFailure
  [146, 400], // ExceededMemoryLimit
  [166, 400], // CommandNotSupportedOnView
  [171, 400], // CannotIndexParallelArrays
  [257, 413], // TransactionTooLarge
  [292, 400], // QueryExceededMemoryLimitNoDiskUseAllowed
  [388, 400], // TransactionTooLargeForCache
  [10334, 413], // BSONObjectTooLarge
  [11000, 400], // DuplicateKey
  [11001, 400],
  [12582, 400],
  [16746, 400], // An index's path that is ambiguous in a list
  [17419, 413], // A document that an update would make too large
  [17420, 413],
]);

const COMMANDS = [
  ...['find', 'aggregate', 'count', 'getMore', 'insert', 'update', 'delete', 'commitTransaction'],
  ...['listIndexes', 'createIndexes', 'dropIndexes', 'listCollections', 'listDatabases', 'ping'],
];

async function open({ replicaSet }: { replicaSet: boolean }) {
  const server = await ownServer({ replicaSet });
  const { log, lines } = createLogLines();
  const store = openMongoDocuments({
    uri: server.uri.replace(/\/(?=\?|$)/, '/faults'),
    log,
    queryMs: 60_000,
    maxPoolSize: 20,
    minPoolSize: 0,
    separateDatabases: false,
  });
  onTestFinished(() => store.close());
  const admin = rawClient(server.uri).db('admin');
  const fail = (mode: Document | string, data: Document) =>
    admin.command({ configureFailPoint: 'failCommand', mode, data: { appName: 'cloister', ...data } });
  return { store, lines, fail };
}

/** One operation of each kind, by its name, in a state in which all succeed. */
const operationsOn = (store: DocumentStore): Record<string, () => Promise<unknown>> => ({
  find: () => store.find(BOOKS, query()),
  count: async () => store.count(BOOKS, MATCH_ALL),
  stats: () => store.stats(BOOKS),
  collections: () => store.collections(),
  insert: () => store.commit([insert(NEIGHBOUR, 1, { n: 1 })]),
  update: () => store.commit([update(BOOKS, 1, 1, {})]),
  remove: () => store.commit([remove(BOOKS, 2, 1)]),
  batch: () => store.commit([insert(NEIGHBOUR, 2, { n: 2 }), update(BOOKS, 3, 1, {}), remove(BOOKS, 4, 1)]),
  ensureIndexes: () => store.ensureIndexes(NEIGHBOUR, [index('n', { n: 1 }, { unique: true })]),
  health: () => store.health(),
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What a client is answered, where that is not as it should be. */
function wrong(code: number, failure: unknown): string | undefined {
  const { status } = toAppError(failure);
  // Documents are told themselves which rule they break.
  const expected = (failure as StoreError).reason === 'refused' ? 503 : (MISTAKES.get(code) ?? 503);
  return status === expected ? undefined : `${code}: ${status} ${failure}`;
}

describeMongo('an error of a server', () => {
  test('is never a 500, whatever its code, and passes with a retry', async () => {
    const { store, fail } = await open({ replicaSet: false });
    const found: string[] = [];
    for (const [at, code] of CODES.entries()) {
      if (OF_ANOTHER_SERVER.has(code) || NOT_TO_BE_FAKED.has(code)) continue;
      await fail({ times: 2 }, { failCommands: ['find', 'insert'], errorCode: code });
      const [read, write] = await Promise.all([
        failureOf(store.find(BOOKS, query({ limit: 1 }))),
        failureOf(store.commit([insert(NEIGHBOUR, at, {})])),
      ]);
      // A limit of the caller, somebody's will, and what a privilege or the query itself is about.
      const isLasting = MISTAKES.has(code) || [13, 18, 50, 64, 8000, 11601, 290].includes(code);
      if (read !== undefined && !isLasting) found.push(`a read with ${code} is not repeated`);
      found.push(
        ...[read, write].flatMap((failure) => (failure === undefined ? [] : (wrong(code, failure) ?? []))),
      );
    }
    expect(found).toEqual([]);
  });

  test.each([true, false])(
    'that persists is answered as an error of the database (replica set: %s)',
    async (replicaSet) => {
      const { store, lines, fail } = await open({ replicaSet });
      await store.commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, {})));
      let heard = 0;
      store.onCommit(() => {
        heard += 1;
      });
      for (const code of A_FEW) {
        await fail('alwaysOn', { failCommands: COMMANDS, errorCode: code });
        heard = 0;
        const failures = await Promise.all(
          Object.values(operationsOn(store)).map((work) => failureOf(work())),
        );
        const answers = failures.map(
          (failure) => (failure as StoreError | undefined)?.message && wrong(code, failure),
        );
        expect([code, answers]).toEqual([code, failures.map(() => undefined)]);
        // Whoever keeps answers hears of what may have been written.
        expect([code, heard]).toEqual([code, 4]);
      }
      await fail('off', {});
      const failed = lines.filter(({ message }) => message.startsWith('database operation failed'));
      expect(failed.map(({ facts }) => facts['code'])).toEqual([
        ...new Set(failed.map(({ facts }) => facts['code'])),
      ]);
      for (const work of Object.values(operationsOn(store))) await work();
    },
    180_000,
  );
});

describeMongo('a server that rejects reads as it is no longer the primary', () => {
  test('is used again, and its answers leave the driver intact', async () => {
    const { store, fail } = await open({ replicaSet: true });
    await store.commit([insert(BOOKS, 1, {})]);
    await fail({ times: 6 }, { failCommands: ['find', 'insert'], errorCode: 10107 });
    const reads = Array.from({ length: 6 }, () => store.find(BOOKS, query()));
    const writes = Array.from({ length: 3 }, (_, n) =>
      store.commit([insert(NEIGHBOUR, 2 * n, {}), insert(NEIGHBOUR, 2 * n + 1, {})]),
    );
    expect(await Promise.all(reads)).toMatchObject(Array(6).fill([{}]));
    await Promise.all(writes);
    expect(await store.count(NEIGHBOUR, MATCH_ALL)).toBe(6);
  });
});
