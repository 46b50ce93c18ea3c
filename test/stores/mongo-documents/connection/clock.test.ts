// Reads see what was acknowledged before, whichever server answers them.
import { type ClientSession, type Document, Timestamp } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClock } from '../../../../src/stores/mongo-documents/connection/clock.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import { BOOKS, insert, NEIGHBOUR, query, where } from '../../../contracts/cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/mongo-servers.ts';
import { createLogLines } from '../log-lines.ts';

const at = (t: number) => new Timestamp({ t, i: 1 });

/** As much of a session as the clock knows. */
function sessionAt(time?: Timestamp) {
  const seen: Timestamp[] = [];
  const session = { operationTime: time, advanceOperationTime: (to: Timestamp) => void seen.push(to) };
  return { session: session as unknown as ClientSession, seen };
}

describe('createClock', () => {
  it('asks for nothing in particular before anything was written, or where no time is told', () => {
    const clock = createClock();
    clock.wrote(sessionAt().session);
    const { session, seen } = sessionAt();
    clock.advance(session);
    expect([clock.readConcern(), seen]).toEqual([{ level: 'majority' }, []]);
  });

  it('asks for the latest of all writes, in whatever order their answers come', () => {
    const clock = createClock();
    for (const seconds of [5, 9, 7]) clock.wrote(sessionAt(at(seconds)).session);
    const { session, seen } = sessionAt();
    clock.advance(session);
    expect(clock.readConcern()).toEqual({ level: 'majority', afterClusterTime: at(9) });
    expect(seen).toEqual([at(9)]);
  });
});

describeMongo('reads after a write', ({ replicaSet, standalone }) => {
  async function open(server: string) {
    const uri = await ownDatabase(server);
    const { log } = createLogLines();
    const options = { uri, maxPoolSize: 10, minPoolSize: 0, separateDatabases: false, queryMs: 5000, log };
    const store = openMongoDocuments(options);
    onTestFinished(() => store.close());
    return { store, client: rawClient(uri), database: rawClient(uri).db() };
  }

  const readEverything = async ({ store }: Awaited<ReturnType<typeof open>>) => {
    const one = await store.findText(
      BOOKS,
      query({ filter: where('n', { kind: 'eq', value: 1 }), limit: 1 }),
    );
    const many = await store.findText(BOOKS, query({ limit: 10 }));
    const count = await store.count(BOOKS, query().filter);
    const { count: counted } = await store.stats(BOOKS);
    return [one.length, many.length, count, counted];
  };

  it.each([
    ['one write', [insert(BOOKS, 1, { n: 1 })]],
    ['a transaction', [insert(BOOKS, 1, { n: 1 }), insert(NEIGHBOUR, 1, {})]],
  ])('ask every server of a set for it: %s', async (_, writes) => {
    const opened = await open(replicaSet);
    const { store, client, database } = opened;
    await store.commit([insert(BOOKS, 2, {})]);
    await store.commit(writes);
    const ofThis = {
      $or: [{ ns: `${database.databaseName}.books` }, { 'o.applyOps.ns': `${database.databaseName}.books` }],
    };
    const oplog = client.db('local').collection('oplog.rs');
    const [last] = await oplog.find(ofThis).sort({ $natural: -1 }).limit(1).toArray();
    await database.command({ profile: 2 });
    expect(await readEverything(opened)).toEqual([1, 2, 2, 2]);
    await database.command({ profile: 0 });
    const reads = await database
      .collection('system.profile')
      .find({ op: { $in: ['query', 'command'] }, 'command.readConcern': { $exists: true } })
      .toArray();
    const concerns = reads.map(({ command }: Document) => command.readConcern);
    expect(concerns.length).toBeGreaterThanOrEqual(4);
    for (const { level, afterClusterTime } of concerns) {
      expect(level).toBe('majority');
      expect(afterClusterTime.gte(last?.['ts'])).toBe(true);
    }
  });

  it('need nothing of the kind from a lone server', async () => {
    const opened = await open(standalone);
    await opened.store.commit([insert(BOOKS, 1, { n: 1 })]);
    await opened.store.commit([insert(BOOKS, 2, {}), insert(NEIGHBOUR, 1, {})]);
    expect(await readEverything(opened)).toEqual([1, 2, 2, 2]);
  });
});
