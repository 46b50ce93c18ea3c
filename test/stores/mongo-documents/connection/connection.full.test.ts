// Access to a real server while it is well: what work is given, deadlines, turns, closing.
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import type { OperationScope } from '../../../../src/stores/mongo-documents/connection/types.ts';
import {
  createDatabase,
  describeMongo,
  ownDatabase,
  ownServer,
  rawClient,
} from '../../../helpers/store/mongo-servers.ts';
import { openConnection, rejection } from '../connections.ts';

const BOOKS = { database: null, collection: 'books' };

const insert = (n: number) => (scope: OperationScope) => scope.collection(BOOKS).insertOne({ n });
/** For work whose time limit is not what the test is about. */
const patient = () => ({ deadline: Date.now() + 60_000 });
const count = (scope: OperationScope) => scope.collection(BOOKS).countDocuments();

describeMongo('a connection', ({ standalone, replicaSet }) => {
  it.each([
    { uri: standalone, deployment: { kind: 'standalone', transactions: false } },
    { uri: replicaSet, deployment: { kind: 'replica set', transactions: true } },
  ])('to a $deployment.kind', async ({ uri, deployment }) => {
    const { connection, lines } = openConnection(await ownDatabase(uri));
    expect(await connection.run({}, async (scope) => scope.deployment)).toEqual(deployment);
    await connection.run({}, insert(1));
    expect(await connection.run({}, count)).toBe(1);
    await connection.health();
    expect(lines).toEqual([
      {
        level: 'info',
        facts: { deployment: deployment.kind },
        message: expect.stringContaining(deployment.kind),
      },
    ]);
  });

  it('keeps its guarantees whatever the connection string says', async () => {
    const odd =
      'w=0&journal=false&readPreference=secondary&maxStalenessSeconds=120&retryWrites=false&maxPoolSize=1';
    const { connection } = openConnection(
      `${await ownDatabase(replicaSet)}&${odd}&readConcernLevel=available`,
    );
    const asked = await connection.run({}, async (scope) => {
      const { writeConcern, readPreference, readConcern } = scope.collection(BOOKS);
      const { retryWrites, retryReads, maxPoolSize } = scope.client.options;
      return { writeConcern, mode: readPreference?.mode, readConcern, retryWrites, retryReads, maxPoolSize };
    });
    expect(asked).toEqual({
      writeConcern: expect.objectContaining({ w: 'majority', journal: true }),
      mode: 'primary',
      readConcern: { level: 'majority' },
      retryWrites: true,
      retryReads: true,
      maxPoolSize: 10,
    });
  });

  it('sees its own writes at once', async () => {
    const { connection } = openConnection(await ownDatabase(replicaSet));
    for (let n = 1; n <= 50; n += 1) {
      await connection.run({}, insert(n));
      expect(await connection.run({}, count)).toBe(n);
    }
  });

  it('maps namespaces to databases', async () => {
    const [own, other] = [createDatabase(standalone), createDatabase(standalone)];
    try {
      await rawClient(standalone).db(own.name).collection('things').insertOne({});
      await rawClient(standalone).db(other.name).collection('things').insertOne({});
      const apart = openConnection(own.uri, { separateDatabases: true }).connection;
      const found = await apart.run({}, (scope) => apart.databases(scope));
      expect(found).toContain(null);
      expect(found).toContain(other.name);
      for (const name of [own.name, 'admin', 'local', 'config']) expect(found).not.toContain(name);
      const together = openConnection(own.uri).connection;
      expect(await together.run({}, (scope) => together.databases(scope))).toEqual([null]);
      const place = { database: other.name, collection: 'things' };
      expect(await apart.run({}, (scope) => scope.collection(place).countDocuments())).toBe(1);
    } finally {
      await Promise.all([own.drop(), other.drop()]);
    }
  });

  it('passes time limits to the server', async () => {
    const queryMs = 600_000;
    const { connection } = openConnection(await ownDatabase(standalone), { queryMs });
    const left = await connection.run({}, async (scope) => scope.remainingMs());
    expect(left).toBeGreaterThan(queryMs / 2);
    expect(left).toBeLessThanOrEqual(queryMs);
    const endless = { deadline: Number.POSITIVE_INFINITY };
    expect(await connection.run(endless, async (scope) => scope.remainingMs())).toBeUndefined();
  });

  it('never starts work past its deadline', async () => {
    const { connection } = openConnection(await ownDatabase(standalone));
    let began = false;
    const late = connection.run({ deadline: Date.now() - 1 }, async () => {
      began = true;
    });
    expect(await rejection(late)).toMatchObject({ reason: 'timeout' });
    expect(began).toBe(false);
  });

  it('rejects at the deadline while the work continues, and blocks further access for it', async () => {
    const { connection } = openConnection(await ownDatabase(standalone), { queryMs: 500 });
    await connection.run(patient(), count);
    const begun: OperationScope[] = [];
    // Once more where the machine was so slow that the work did not even begin.
    while (begun.length === 0) {
      const endless = connection.run({ deadline: Date.now() + 200 }, async (scope) => {
        begun.push(scope);
        await new Promise(() => undefined);
      });
      expect(await rejection(endless)).toMatchObject({ reason: 'timeout' });
    }
    const scope = begun[0] as OperationScope;
    const uses = [
      scope.remainingMs,
      scope.session,
      () => scope.collection(BOOKS),
      () => scope.database(null),
    ];
    for (const use of uses) expect(use).toThrow(StoreError);
    expect(await connection.run(patient(), count)).toBe(0);
  });

  it('ends sessions together with their transactions', async () => {
    const { connection } = openConnection(await ownDatabase(replicaSet));
    await connection.run({}, insert(1));
    const open = connection.run({}, async (scope) => {
      const session = scope.session();
      session.startTransaction();
      await scope.collection(BOOKS).insertOne({ n: 2 }, { session });
      throw new StoreError('conflict');
    });
    expect(await rejection(open)).toMatchObject({ reason: 'conflict' });
    expect(await connection.run({}, count)).toBe(1);
  });

  it('finishes running operations when it closes and rejects new ones', async () => {
    const { connection } = openConnection(await ownDatabase(standalone));
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const inFlight = connection.run({}, async (scope) => {
      await gate;
      return count(scope);
    });
    const closed = connection.close();
    expect(await rejection(connection.run({}, count))).toMatchObject({ reason: 'unavailable' });
    expect(await rejection(connection.health())).toMatchObject({ reason: 'unavailable' });
    open();
    expect(await inFlight).toBe(0);
    await closed;
    await connection.close();
  });

  it('does not wait for work without a deadline when it closes', async () => {
    const { connection } = openConnection(await ownDatabase(standalone));
    const { promise: began, resolve } = Promise.withResolvers<void>();
    const forever = connection.run({ deadline: Number.POSITIVE_INFINITY }, async () => {
      resolve();
      await new Promise(() => undefined);
    });
    forever.catch(() => undefined);
    await began;
    await connection.close();
  });
});

describeMongo('a pool full of slow operations', () => {
  it('rejects at the deadline, applies nothing late, and does not count as an outage', async () => {
    const server = await ownServer();
    const { connection } = openConnection(server.uri, { maxPoolSize: 5 });
    await connection.run({}, insert(1));
    const slow = { closeConnection: false, blockConnection: true, blockTimeMS: 1500, failCommands: ['find'] };
    const failPoint = { configureFailPoint: 'failCommand', mode: { times: 2 }, data: slow };
    await connection.run({}, (scope) => scope.client.db('admin').command(failPoint));
    const find = (scope: OperationScope) => scope.collection(BOOKS).findOne();
    const order: string[] = [];
    const told = async <T>(what: string, work: Promise<T>) => {
      const outcome = await work;
      order.push(what);
      return outcome;
    };
    const slowOnes = [told('slow', connection.run({}, find)), told('slow', connection.run({}, find))];
    const late = told('late', rejection(connection.run({ deadline: Date.now() + 300 }, insert(2))));
    await connection.health();
    expect(await late).toMatchObject({ reason: 'timeout' });
    expect(await Promise.all(slowOnes)).toMatchObject([{ n: 1 }, { n: 1 }]);
    expect(order).toEqual(['late', 'slow', 'slow']);
    expect(await connection.run({}, count)).toBe(1);
  });
});
