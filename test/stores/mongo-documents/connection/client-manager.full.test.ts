// The keeper's own decisions, on clients that connect to real servers or to nothing.
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { ClientManager } from '../../../../src/stores/mongo-documents/connection/client-manager.ts';
import { createHandleCache } from '../../../../src/stores/mongo-documents/connection/live-client.ts';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/operation-slots.ts';
import { loopMs, pollWithin } from '../../../helpers/server-process/timing.ts';
import { describeMongo, ownServer, STANDALONE } from '../../../helpers/store/mongo-servers.ts';
import { rejection } from '../connections.ts';

const NOWHERE = 'mongodb://127.0.0.1:1/';
/** Nobody waits so long; it is there so that nothing waits for ever. */
const PATIENT_MS = 60_000;
const soon = (ms: number) => createDeadline(Date.now() + ms, Date.now);

function setUp(uri: () => string, timeoutMs = 400, selectionMs = 200) {
  // Time passes as the test says: no pause between attempts is over because the machine is slow.
  const clock = { ms: 1_000_000 };
  const clients: MongoClient[] = [];
  const connected: string[] = [];
  const clientManager = new ClientManager({
    create() {
      const client = new MongoClient(uri(), {
        serverSelectionTimeoutMS: selectionMs,
        heartbeatFrequencyMS: 500,
      });
      clients.push(client);
      return client;
    },
    now: () => clock.ms,
    timeoutMs: timeoutMs,
    onConnected: ({ kind }) => connected.push(kind),
  });
  onTestFinished(() => clientManager.close());
  return { clientManager, clients, connected, clock };
}

it('the client manager connects once for all waiters and delays the next attempt', async () => {
  const { clientManager, clients, clock } = setUp(() => NOWHERE);
  const waiting = Array.from({ length: 50 }, () => rejection(clientManager.liveClient(soon(2000))));
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ reason: 'unavailable' });
  expect(clients).toHaveLength(1);
  expect(await rejection(clientManager.liveClient(soon(2000)))).toMatchObject({ reason: 'unavailable' });
  expect(clients).toHaveLength(1);
  clock.ms += 1000;
  expect(await rejection(clientManager.liveClient(soon(2000)))).toMatchObject({ reason: 'unavailable' });
  expect(clients).toHaveLength(2);
  expect(clientManager.isWritable).toBe(false);
});

it('the client manager waits no longer than the deadline', async () => {
  const { clientManager } = setUp(() => NOWHERE, 10_000, 10_000);
  let error: unknown;
  const waited = await loopMs(async () => {
    error = await rejection(clientManager.liveClient(soon(300)));
  });
  expect(waited).toBeLessThan(5000);
  expect(error).toMatchObject({ reason: 'unavailable' });
  // The reason is told as soon as it is known.
  const why = async () => rejection(clientManager.liveClient(soon(10)));
  const refused = { cause: { message: expect.stringContaining('ECONNREFUSED') } };
  await pollWithin(5000, async () => expect(await why()).toMatchObject(refused));
});

it('a closed client manager does not connect', async () => {
  const { clientManager, clients } = setUp(() => NOWHERE);
  const waiting = rejection(clientManager.liveClient(soon(5000)));
  await clientManager.close();
  expect(await waiting).toMatchObject({ reason: 'unavailable' });
  expect(await rejection(clientManager.liveClient(soon(5000)))).toMatchObject({ reason: 'unavailable' });
  expect(clients).toHaveLength(1);
});

describeMongo('the client manager', () => {
  it('shares one client', async () => {
    const { clientManager, clients, connected } = setUp(() => STANDALONE ?? '', PATIENT_MS, PATIENT_MS);
    const lives = await Promise.all(
      Array.from({ length: 20 }, () => clientManager.liveClient(soon(PATIENT_MS))),
    );
    expect(new Set(lives).size).toBe(1);
    expect(await clientManager.liveClient(soon(PATIENT_MS))).toBe(lives[0]);
    expect(clientManager.isWritable).toBe(true);
    expect(clients).toHaveLength(1);
    expect(connected).toEqual(['standalone']);
  });

  it('starts again from the connection string when a server stays lost', async () => {
    const [first, second] = await Promise.all([ownServer(), ownServer()]);
    let uri = first.uri;
    // An attempt outlasts the callers that wait for it.
    const { clientManager, clients, clock } = setUp(() => uri, 400, PATIENT_MS);
    const live = () => {
      // The pause after an attempt that failed is over.
      clock.ms += 1000;
      return clientManager.liveClient(soon(PATIENT_MS));
    };
    await pollWithin(10_000, live);
    const connects = clients.length;
    uri = second.uri;
    await first.kill();
    await pollWithin(10_000, async () => expect(clientManager.isWritable).toBe(false));
    expect(await rejection(clientManager.liveClient(soon(1000)))).toMatchObject({ reason: 'unavailable' });
    expect(clients).toHaveLength(connects);
    clock.ms += 31_000;
    await pollWithin(10_000, live);
    expect(clients.length).toBeGreaterThan(connects);
  });
});

it('after an election the client manager has reads see what other processes were told to be written', async () => {
  const server = await ownServer({ replicaSet: true });
  const { clientManager } = setUp(() => server.uri, PATIENT_MS, PATIENT_MS);
  const { clock } = await clientManager.liveClient(soon(PATIENT_MS));
  const other = new MongoClient(server.uri);
  onTestFinished(() => other.close());
  const written = await other.withSession(async (session) => {
    await other
      .db('t')
      .collection('c')
      .insertOne({}, { session, writeConcern: { w: 'majority' } });
    return session.operationTime;
  });
  expect(clock.readConcern()['afterClusterTime']?.gte(written)).not.toBe(true);
  await other.db('admin').command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
  const seen = async () => {
    await clientManager.liveClient(soon(PATIENT_MS));
    return clock.readConcern()['afterClusterTime'];
  };
  // It hears of the election a little later than the other client.
  await pollWithin(PATIENT_MS, async () => expect((await seen())?.gte(written)).toBe(true));
});

it('the handle cache creates each handle once, with the options of the client', () => {
  const client = new MongoClient('mongodb://localhost:1', { writeConcern: { w: 'majority', journal: true } });
  const handles = createHandleCache(client);
  const books = handles.collection('library', 'books');
  expect(handles.collection('library', 'books')).toBe(books);
  expect(handles.database('library')).toBe(handles.database('library'));
  expect(books.namespace).toBe('library.books');
  expect(books.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(handles.collection('library', '__proto__').namespace).toBe('library.__proto__');
});

it('the handle cache is bounded', () => {
  const handles = createHandleCache(new MongoClient('mongodb://localhost:1'));
  const first = handles.collection('library', 'books');
  for (let n = 0; n < 10_000; n += 1) handles.collection('library', `books-${n}`);
  expect(handles.collection('library', 'books')).not.toBe(first);
});
