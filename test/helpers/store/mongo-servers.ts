// The real MongoDB servers of this test run: that of CLOISTER_TEST_MONGODB_URI, and for the rest the run's own.
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, inject, it, onTestFinished } from 'vitest';
import { withDatabase } from '../temp/workspace.ts';
import { isMongodInstalled, launchServer, type OwnServer, type OwnServerOptions } from './mongod.ts';

interface Servers {
  readonly standalone?: string;
  readonly replicaSet?: string;
}

/** A server that somebody else keeps serves as what it is. */
async function externalServers(uri: string): Promise<Servers> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    const { setName } = await client.db('admin').command({ hello: 1 });
    return setName === undefined ? { standalone: uri } : { replicaSet: uri };
  } finally {
    await client.close();
  }
}

async function sharedServers(): Promise<Servers> {
  const desk = inject('mongoServers');
  if (desk === undefined) {
    const missing = '.servers/mongod is not installed: npm run test:servers';
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.warn(`\n*** ${missing}; the tests that need it are skipped ***\n`);
    return {};
  }
  const answer = await fetch(desk);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the MongoDB servers do not start: ${text}`);
  return JSON.parse(text);
}

const environment = process.env['CLOISTER_TEST_MONGODB_URI'];
const servers = {
  ...(await sharedServers()),
  ...(environment === undefined ? {} : await externalServers(environment)),
};

/** Connection string of a server without transactions; undefined where there is none. */
export const STANDALONE: string | undefined = servers.standalone;
/** Connection string of a replica set; undefined where there is none. */
export const REPLICA_SET: string | undefined = servers.replicaSet;

/** Registers what `body` registers for both servers; without calling it, one skipped test where a server is missing. */
export function describeMongo(
  name: string,
  body: (servers: { standalone: string; replicaSet: string }) => void,
): void {
  const [standalone, replicaSet] = [STANDALONE, REPLICA_SET];
  describe(name, () => {
    if (standalone !== undefined && replicaSet !== undefined) body({ standalone, replicaSet });
    else it.skip('needs a standalone server and a replica set: npm run test:servers', () => undefined);
  });
}

const clients = new Map<string, MongoClient>();
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  clients.clear();
});

/** A driver's client on one of the servers, for a look past the store; it is closed when the file is done. */
export function rawClient(uri: string): MongoClient {
  const client = clients.get(uri) ?? new MongoClient(uri);
  clients.set(uri, client);
  return client;
}

/** A database of the caller's own, who drops it: the connection string with it in it. */
export function createDatabase(uri: string): { uri: string; name: string; drop(): Promise<void> } {
  const name = `test-${randomBytes(6).toString('hex')}`;
  const drop = async () => void (await rawClient(uri).db(name).dropDatabase());
  return { uri: withDatabase(uri, name), name, drop };
}

/** A database of one test's own: the connection string with it in it. It is dropped when the test is over. */
export async function ownDatabase(uri: string): Promise<string> {
  const { uri: own, drop } = createDatabase(uri);
  onTestFinished(drop);
  return own;
}

/** Closes the raw clients of a server and disposes of it: an open client would look for the server before it ends. */
async function disposeOf(server: OwnServer): Promise<void> {
  const { host } = new URL(server.uri);
  const leaving = [...clients].filter(([uri]) => uri.includes(host));
  await Promise.all(leaving.map(([, client]) => client.close()));
  for (const [uri] of leaving) clients.delete(uri);
  await server.dispose();
}

async function launchInstalled(options: OwnServerOptions): Promise<OwnServer> {
  if (!isMongodInstalled()) throw new Error('.servers/mongod is not installed: npm run test:servers');
  return launchServer(options);
}

/** A server of one test's own, gone when the test is over unless `dispose` came first. */
export async function ownServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const server = await launchInstalled(options);
  onTestFinished(() => disposeOf(server));
  return server;
}

/**
 * A server that the tests of one `describe` share, started before the first of them. For tests that kill it, or have it
 * fail: each leaves it running, and takes a database of its own.
 */
export function describeServer(options: OwnServerOptions = {}): () => OwnServer {
  let server: OwnServer | undefined;
  beforeAll(async () => {
    server = await launchInstalled(options);
  }, 60_000);
  afterAll(async () => {
    if (server !== undefined) await disposeOf(server);
  });
  return () => {
    if (server === undefined) throw new Error('the server is not started yet');
    return server;
  };
}
