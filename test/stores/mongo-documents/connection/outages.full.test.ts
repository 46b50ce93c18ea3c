// A real server that is away, comes, stops, hangs or is killed: nothing hangs, and nothing needs a hand.
import { expect, it } from 'vitest';
import type {
  MongoConnection,
  OperationScope,
} from '../../../../src/stores/mongo-documents/connection/types.ts';
import { loopMs, pollWithin } from '../../../helpers/server-process/timing.ts';
import { describeMongo, ownServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { launchReplicaSet } from '../../../helpers/store/mongod.ts';
import { openConnection, rejection } from '../connections.ts';
import { openPortForwarder } from './port-forwarder.ts';

/** Long for whoever waits, and a fraction of what the driver would wait. */
const NO_HANG_MS = 10_000;

/** How long a server that is there again may stay unnoticed. */
const BACK_WITHIN_MS = 30_000;

const BOOKS = { database: null, collection: 'books' };

const insert = (connection: MongoConnection, n: number) =>
  connection.run({}, (scope: OperationScope) => scope.collection(BOOKS).insertOne({ n }));

/** A write that two calls may make once only, as a client that tries again would send it. */
const put = (connection: MongoConnection, n: number) =>
  connection.run({}, (scope: OperationScope) =>
    scope.collection(BOOKS).updateOne({ n }, { $set: { n } }, { upsert: true }),
  );

const find = (connection: MongoConnection, deadline: number) =>
  connection.run({ deadline }, (scope) => scope.collection(BOOKS).findOne());

const portOf = (uri: string) => Number(/:(\d+)\//.exec(uri)?.[1]);

const messages = (lines: readonly { message: string }[]) => lines.map(({ message }) => message);

describeMongo('a server', () => {
  it('that is down at first is used as soon as it is up', async () => {
    const server = await ownServer();
    await server.stop();
    const { connection, lines } = openConnection(server.uri);
    const refused = await loopMs(async () => {
      const asked = [insert(connection, 1), insert(connection, 1), connection.health()].map(rejection);
      expect(await Promise.all(asked)).toMatchObject(Array(3).fill({ reason: 'unavailable' }));
    });
    expect(refused).toBeLessThan(NO_HANG_MS);
    await server.start();
    await pollWithin(BACK_WITHIN_MS, () => connection.health());
    await insert(connection, 1);
    expect(messages(lines)).toEqual(['database unavailable', expect.stringContaining('standalone')]);
  });

  it('that restarts is used again by the same connection', async () => {
    const server = await ownServer();
    const { connection, lines } = openConnection(server.uri);
    await insert(connection, 1);
    await server.stop();
    for (let turn = 0; turn < 3; turn += 1) {
      const refused = await loopMs(async () => {
        const error = await rejection(find(connection, Date.now() + 500));
        expect(error).toMatchObject({ reason: 'unavailable' });
      });
      // Well before the driver gives up its search, after three seconds.
      expect(refused).toBeLessThan(2500);
    }
    await server.start();
    await pollWithin(BACK_WITHIN_MS, () => insert(connection, 2));
    expect(messages(lines)).toEqual([
      expect.stringContaining('standalone'),
      'database unavailable',
      'database available again',
    ]);
  });

  it('that hangs delays no caller beyond the deadline', async () => {
    const server = await ownServer();
    const { connection } = openConnection(server.uri, { maxPoolSize: 8 });
    await insert(connection, 1);
    await server.suspend();
    let answers: unknown[] = [];
    const hung = await loopMs(async () => {
      const deadline = Date.now() + 500;
      const many = Array.from({ length: 20 }, () => rejection(find(connection, deadline)));
      answers = await Promise.all([...many, rejection(connection.health())]);
    });
    expect(hung).toBeLessThan(NO_HANG_MS);
    for (const { reason } of answers as { reason: string }[])
      expect(['timeout', 'unavailable']).toContain(reason);
    // It is noticed, and what hung has ended: nothing else would be known to be away.
    const noticed = async () =>
      expect(await rejection(find(connection, Date.now() + 200))).toMatchObject({ reason: 'unavailable' });
    await pollWithin(BACK_WITHIN_MS, noticed);
    server.resume();
    await pollWithin(BACK_WITHIN_MS, () => insert(connection, 2));
    await connection.health();
  });

  it('that becomes a replica set is used as one, and vice versa', async () => {
    const [alone, member] = await Promise.all([ownServer(), ownServer({ replicaSet: true })]);
    const board = await openPortForwarder(portOf(alone.uri));
    const { connection, lines } = openConnection(`mongodb://${board.host}/?directConnection=true`);
    const kind = () => connection.run({}, async ({ deployment }) => deployment.kind);
    const becomes = (expected: string) => async () => expect(await kind()).toBe(expected);
    expect(await kind()).toBe('standalone');
    board.connect(portOf(member.uri));
    await pollWithin(BACK_WITHIN_MS, becomes('replica set'));
    await insert(connection, 1);
    board.connect(portOf(alone.uri));
    await pollWithin(BACK_WITHIN_MS, becomes('standalone'));
    await insert(connection, 1);
    const greetings = messages(lines).filter((message) => message.startsWith('connected'));
    expect(greetings).toHaveLength(3);
  });
});

describeMongo('a secondary', ({ replicaSet }) => {
  it('counts as unavailable, even with a direct connection', async () => {
    const { hosts, primary } = await rawClient(replicaSet).db('admin').command({ hello: 1 });
    const secondary = (hosts as string[]).find((host) => host !== primary);
    const { connection } = openConnection(`mongodb://${secondary}/?directConnection=true`);
    expect(await rejection(find(connection, Date.now() + 5000))).toMatchObject({ reason: 'unavailable' });
    expect(await rejection(connection.health())).toMatchObject({ reason: 'unavailable' });
  });
});

describeMongo('a replica set whose primary is killed', () => {
  it('recovers by itself and has every acknowledged write', async () => {
    // Longer than a write waits for a primary, so that the outage is noticed.
    const set = await launchReplicaSet({ electionTimeoutMs: 5000 });
    const { connection, lines } = openConnection(set.uri);
    try {
      await put(connection, 0);
      const restart = await set.killPrimary();
      expect(await loopMs(() => pollWithin(30_000, () => put(connection, 1)))).toBeLessThan(20_000);
      for (let n = 2; n < 50; n += 1) await put(connection, n);
      await restart();
      const count = await connection.run({}, (scope) => scope.collection(BOOKS).countDocuments());
      expect(count).toBe(50);
      expect(messages(lines).at(-1)).toBe('database available again');
    } finally {
      await connection.close();
      await set.dispose();
    }
  });
});
