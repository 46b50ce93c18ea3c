// A database of MongoDB beside the configured one, and whether it is that one.
import { expect, it } from 'vitest';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import {
  openDatabaseBackup,
  openDatabaseCheck,
  openDocumentStore,
} from '../../../src/stores/open/document-store.ts';
import { isConnectionString, openForeignDatabase } from '../../../src/stores/open/foreign-database.ts';
import { describeMongo, ownDatabase, rawClient } from '../../helpers/store/mongo-servers.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** A page with it needs memory that is asked for: where nothing is said of that, there is enough. */
const LONG_TEXT = 'x'.repeat(2_000_000);
const nameOf = (uri: string) => /([^/?]+)(?:\?.*)?$/.exec(uri)?.[1] ?? '';

async function filledDatabase(server: string): Promise<string> {
  const uri = await ownDatabase(server);
  await rawClient(server).db(nameOf(uri)).collection<{ _id: string }>('books').insertOne({ _id: 'a' });
  return uri;
}

const targetAt = (uri: string | undefined, enableCollectionDatabases = false) =>
  ({ engine: 'mongodb', enableCollectionDatabases, mongodb: { uri } }) as const;

describeMongo('a database that is imported from', ({ standalone, replicaSet }) => {
  it('is the configured one where both hold the same collections', async () => {
    const uri = await filledDatabase(standalone);
    const other = await filledDatabase(replicaSet);
    const foreign = await openForeignDatabase({ uri, queryMs: 60_000, log });
    expect(foreign.name).toBe(nameOf(uri));
    expect(await foreign.isTarget(targetAt(uri))).toBe(true);
    expect(await foreign.isTarget(targetAt(other))).toBe(false);
    // By database and collection: whatever the configured one is called, it writes to this one too.
    expect(await foreign.isTarget(targetAt(await ownDatabase(standalone), true))).toBe(true);
    expect(await foreign.isTarget(targetAt(other, true))).toBe(false);
    expect(await foreign.isTarget(targetAt(undefined))).toBe(false);
    expect(await foreign.isTarget({ ...targetAt(uri), engine: 'sqlite' })).toBe(false);
    await foreign.store.close();
  });

  it('has no name where its connection string has none', async () => {
    const foreign = await openForeignDatabase({ uri: standalone, queryMs: 60_000, log });
    expect(foreign.name).toBe(undefined);
    expect(await foreign.isTarget(targetAt(await ownDatabase(replicaSet), true))).toBe(false);
    await foreign.store.close();
  });

  it('is compared with what specifications declare, and exported into a backup', async () => {
    const uri = await filledDatabase(standalone);
    const database = {
      engine: 'mongodb',
      enableCollectionDatabases: false,
      sqlite: { path: 'data' },
      mongodb: { uri, maxPoolSize: 2, minPoolSize: 0 },
    } as const;
    const check = await openDatabaseCheck(database, { cwd: '.', queryMs: 60_000, log });
    if (check.kind !== 'server') throw new Error(check.kind);
    const ns = { database: null, collection: 'books' };
    const definition = { name: 'by-title', keys: [{ path: 'title', direction: 1 }], unique: false };
    const declared = [{ namespace: ns, indexes: [{ ...definition, sparse: false }] }];
    expect(await check.comparison.compare(declared as never)).toMatchObject([{ kind: 'missing', ns }]);
    await check.comparison.close();
    expect(await openDatabaseBackup(database, { cwd: '.' })).toEqual({ kind: 'export' });
    const store = await openDocumentStore(database, { cwd: '.', queueLimit: 10, queryMs: 60_000, log });
    await store.commit([{ kind: 'insert', ns, document: { _id: 'b'.repeat(24), v: 1, text: LONG_TEXT } }]);
    const { length } = String(await store.findText(ns, { filter: MATCH_ALL, sort: [], skip: 0, limit: 10 }));
    expect(length).toBeGreaterThan(LONG_TEXT.length);
    await store.close();
  });
});

it('a connection string is told from the name of a folder', () => {
  const texts = ['mongodb://host/x', 'mongodb+srv://host', './mongodb', 'mongodb:/x', ''];
  expect(texts.map(isConnectionString)).toEqual([true, true, false, false, false]);
});
