// Transactions that a killed process has left open: another process ends them, and their documents are free at once.
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import { BOOKS } from '../../../contracts/store-cases.ts';
import { createDatabase, REPLICA_SET, STANDALONE } from '../../../helpers/store/mongo-servers.ts';
import { createLogLines } from '../log-lines.ts';

const ID = 'a'.repeat(24);

function open(uri: string, owner: string) {
  const options = { maxPoolSize: 10, minPoolSize: 0, separateDatabases: false, queryMs: 60_000 };
  const store = openMongoDocuments({ ...options, uri, owner, log: createLogLines().log });
  onTestFinished(() => store.close());
  return store;
}

/** A client as a process has it, with a document that an open transaction has changed. */
async function leaveTransaction(uri: string, appName: string) {
  const client = new MongoClient(uri, { appName });
  onTestFinished(() => client.close());
  const session = client.startSession();
  session.startTransaction();
  await client
    .db()
    .collection(BOOKS.collection)
    .updateOne({ v: 1 }, { $set: { n: 2 } }, { session });
  return session;
}

describe.skipIf(REPLICA_SET === undefined)('endWorkOf', () => {
  const document = { _id: ID, v: 1, n: 1 };
  const update = {
    kind: 'update',
    ns: BOOKS,
    id: ID,
    v: 1,
    document: { ...document, v: 2 },
    changed: ['v'],
  } as const;

  it('ends the transactions of the process that is gone, and no others', async () => {
    const { uri, drop } = createDatabase(REPLICA_SET ?? '');
    onTestFinished(drop);
    const store = open(uri, 'living');
    await store.commit([{ kind: 'insert', ns: BOOKS, document }]);
    const session = await leaveTransaction(uri, 'cloister lost');
    // It holds the document.
    await expect(store.commit([update], { deadline: Date.now() + 500 })).rejects.toMatchObject({
      reason: 'timeout',
    });
    await store.endWorkOf?.('another');
    await expect(store.commit([update], { deadline: Date.now() + 500 })).rejects.toMatchObject({
      reason: 'timeout',
    });
    await store.endWorkOf?.('lost');
    await store.commit([update]);
    await expect(session.commitTransaction()).rejects.toMatchObject({ codeName: 'NoSuchTransaction' });
  });

  it('knows the connections of a process by the id that its store was given', async () => {
    const { uri, drop } = createDatabase(REPLICA_SET ?? '');
    onTestFinished(drop);
    await open(uri, 'telling').health();
    const client = new MongoClient(uri);
    onTestFinished(() => client.close());
    const found = await client
      .db('admin')
      .aggregate([{ $currentOp: { idleConnections: true } }])
      .toArray();
    expect(found.map(({ appName }) => appName)).toContain('cloister telling');
  });

  it('has nothing to do on a server without transactions, nor where nothing was left', async () => {
    for (const server of [STANDALONE, REPLICA_SET]) {
      const { uri, drop } = createDatabase(server ?? '');
      onTestFinished(drop);
      await open(uri, 'living').endWorkOf?.('lost');
    }
  });
});
