// Reads see what was acknowledged before, whichever server answers them.

import {
  type ClientSession,
  type Document,
  type ServerDescription,
  type ServerType,
  Timestamp,
  type TopologyType,
} from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createCausalClock,
  deploymentOf,
  isBoundToReader,
} from '../../../../src/stores/mongo-documents/connection/live-client.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import { BOOKS, insert, NEIGHBOUR, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { createLogLines } from '../log-lines.ts';

const at = (t: number) => new Timestamp({ t, i: 1 });

/** As much of a session as the clock knows. */
function sessionAt(time?: Timestamp) {
  const seen: unknown[] = [];
  const session = {
    operationTime: time,
    clusterTime: time && { clusterTime: time },
    advanceOperationTime: (to: unknown) => void seen.push(to),
    advanceClusterTime: (to: unknown) => void seen.push(to),
  };
  return { session: session as unknown as ClientSession, seen };
}

describe('createCausalClock', () => {
  it('requires no time before the first write, or from a server without operation times', () => {
    const clock = createCausalClock();
    clock.recordWrite(sessionAt().session);
    const { session, seen } = sessionAt();
    clock.advanceSession(session);
    expect([clock.readConcern(), seen]).toEqual([{ level: 'majority' }, []]);
  });

  it('requires the latest write time, whatever the order of answers', () => {
    const clock = createCausalClock();
    for (const seconds of [5, 9, 7]) clock.recordWrite(sessionAt(at(seconds)).session);
    const { session, seen } = sessionAt();
    clock.advanceSession(session);
    expect(clock.readConcern()).toEqual({ level: 'majority', afterClusterTime: at(9) });
    expect(seen).toEqual([at(9), { clusterTime: at(9) }]);
  });
});

type Opened = Awaited<ReturnType<typeof open>>;

async function open(server: string, uri?: string) {
  const own = uri ?? (await ownDatabase(server));
  const { log } = createLogLines();
  const options = {
    uri: own,
    maxPoolSize: 10,
    minPoolSize: 0,
    separateDatabases: false,
    queryMs: 60_000,
    log,
  };
  const store = openMongoDocuments(options);
  onTestFinished(() => store.close());
  return { uri: own, store, client: rawClient(own), database: rawClient(own).db() };
}

/** One document, a page, two counts, and a scan whose documents are looked at here. */
async function readEverything({ store }: Opened) {
  const one = query({ filter: where('n', { kind: 'eq', value: 1 }), limit: 1 });
  const odd = where('text', { kind: 'regex', pattern: '^a+b$', flags: '' });
  return [
    (await store.findText(BOOKS, one)).length,
    (await store.findText(BOOKS, query({ limit: 10 }))).length,
    await store.count(BOOKS, query().filter),
    (await store.stats(BOOKS)).count,
    await store.count(BOOKS, odd),
  ];
}

/** When the last write to the books was made, as the server knows it. */
async function lastWrite({ client, database }: Opened): Promise<Timestamp> {
  const books = `${database.databaseName}.books`;
  const oplog = client.db('local').collection('oplog.rs');
  const ofThese = { $or: [{ ns: books }, { 'o.applyOps.ns': books }] };
  const [last] = await oplog.find(ofThese).sort({ $natural: -1 }).limit(1).toArray();
  return last?.['ts'];
}

/** What reads of documents asked the server for while `work` ran. */
async function concernsOf({ database }: Opened, work: () => Promise<unknown>) {
  await database.command({ profile: 2 });
  await work();
  await database.command({ profile: 0 });
  const reads = await database
    .collection('system.profile')
    .find({ 'command.readConcern': { $exists: true } })
    .toArray();
  return reads
    .map(({ command }) => command)
    .filter(({ pipeline }: Document) => pipeline?.[0].$collStats === undefined)
    .map(({ readConcern }: Document) => readConcern);
}

describeMongo('a causally consistent read', ({ replicaSet, standalone }) => {
  it.each([
    ['one write', [insert(BOOKS, 1, { n: 1 })]],
    ['a transaction', [insert(BOOKS, 1, { n: 1 }), insert(NEIGHBOUR, 1, {})]],
  ])('requires at least the acknowledged state: %s', async (_, writes) => {
    const opened = await open(replicaSet);
    await opened.store.commit([insert(BOOKS, 2, { text: 'aab' })]);
    await opened.store.commit(writes);
    const written = await lastWrite(opened);
    const concerns = await concernsOf(opened, async () =>
      expect(await readEverything(opened)).toEqual([1, 2, 2, 2, 1]),
    );
    expect(concerns.length).toBeGreaterThanOrEqual(5);
    for (const { level, afterClusterTime } of concerns) {
      expect(level).toBe('majority');
      expect(afterClusterTime.gte(written)).toBe(true);
    }
  });

  it('requires the state at the start of its connection', async () => {
    const before = await open(replicaSet);
    await before.store.commit([insert(BOOKS, 1, { n: 1 })]);
    const opened = await open(replicaSet, before.uri);
    const written = await lastWrite(opened);
    const concerns = await concernsOf(opened, () => readEverything(opened));
    expect(concerns.length).toBeGreaterThanOrEqual(5);
    for (const { afterClusterTime } of concerns) expect(afterClusterTime.gte(written)).toBe(true);
  });

  it('requires no time from a standalone server', async () => {
    const opened = await open(standalone);
    await opened.store.commit([insert(BOOKS, 1, { n: 1 })]);
    await opened.store.commit([insert(BOOKS, 2, { text: 'aab' }), insert(NEIGHBOUR, 1, {})]);
    const concerns = await concernsOf(opened, async () =>
      expect(await readEverything(opened)).toEqual([1, 2, 2, 2, 1]),
    );
    for (const concern of concerns) expect(concern).toEqual({ level: 'majority' });
  });
});

/** What the driver sees of servers of these types. */
function seen(type: TopologyType, ...types: ServerType[]) {
  const servers = new Map(types.map((each, at) => [`host-${at}:1`, { type: each } as ServerDescription]));
  return { type, servers };
}

it.each([
  [seen('Single', 'Standalone'), 'standalone', false],
  [seen('Single', 'RSPrimary'), 'replica set', true],
  [seen('ReplicaSetWithPrimary', 'RSSecondary', 'Unknown', 'RSPrimary'), 'replica set', true],
  [seen('Sharded', 'Unknown', 'Mongos'), 'sharded', true],
  [seen('LoadBalanced', 'LoadBalancer'), 'sharded', true],
])('a topology of %j is a %s', (description, kind, transactions) => {
  expect(deploymentOf(description)).toEqual({ kind, transactions });
  expect(isBoundToReader(description)).toBe(false);
});

it.each([
  seen('Unknown'),
  seen('Unknown', 'Unknown'),
  seen('ReplicaSetNoPrimary', 'RSSecondary', 'RSArbiter'),
  seen('ReplicaSetNoPrimary', 'PossiblePrimary'),
])('a topology of %j accepts no writes', (description) => {
  expect(deploymentOf(description)).toBeUndefined();
  expect(isBoundToReader(description)).toBe(false);
});

it('a direct connection to a secondary is distinguished from one to a server that is down', () => {
  expect(isBoundToReader(seen('Single', 'RSSecondary'))).toBe(true);
  expect(isBoundToReader(seen('Single', 'Unknown'))).toBe(false);
});
