// A connected client: the kind of its deployment, its collections, and the causal clock of its reads. A newly elected primary
// has every majority write but may not know yet that the majority has it, and would leave out the last ones:
// https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/

import type {
  ClientSession,
  ClusterTime,
  Collection,
  Db,
  Document,
  MongoClient,
  ServerType,
  Timestamp,
  TopologyDescription,
} from 'mongodb';
import type { Deployment } from './types.ts';

export interface LiveClient {
  readonly client: MongoClient;
  readonly handles: HandleCache;
  readonly deployment: Deployment;
  readonly clock: CausalClock;
}

/** Time of the latest acknowledged write. Only replica sets and clusters have such a time. */
export interface CausalClock {
  /** Takes the session of a write that was acknowledged. */
  recordWrite(session: Pick<ClientSession, 'operationTime' | 'clusterTime'>): void;
  /** Makes reads of the session see every acknowledged write. */
  advanceSession(session: ClientSession): void;
  /** Read concern for a read without a session: majority, and no older than the last acknowledged write. */
  readConcern(): Document;
}

/** One for each client, as times of one deployment mean nothing to another. */
export function createCausalClock(): CausalClock {
  let latest: Timestamp | undefined;
  /** Signed by the deployment: behind a router other servers require it. */
  let clusterTime: ClusterTime | undefined;
  return {
    recordWrite(session) {
      if (session.operationTime === undefined || latest?.gte(session.operationTime)) return;
      latest = session.operationTime;
      clusterTime = session.clusterTime;
    },
    advanceSession(session) {
      if (latest !== undefined) session.advanceOperationTime(latest);
      if (clusterTime !== undefined) session.advanceClusterTime(clusterTime);
    },
    readConcern: () => ({ level: 'majority', ...(latest !== undefined && { afterClusterTime: latest }) }),
  };
}

/** Has the clock require all that there is now: writes of an earlier client, and of other processes. */
export async function advanceClock(clock: CausalClock, client: MongoClient): Promise<void> {
  await client.withSession(async (session) => {
    await client.db('admin').command({ ping: 1 }, { session });
    clock.recordWrite(session);
  });
}

/** The election that made a server the primary; undefined where none takes writes, or there are no elections. */
export function electionOf({ servers }: Pick<TopologyDescription, 'servers'>): string | undefined {
  const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
  return primary && `${primary.electionId?.toHexString()}`;
}

const STANDALONE: Deployment = { kind: 'standalone', transactions: false };
const REPLICA_SET: Deployment = { kind: 'replica set', transactions: true };
const SHARDED: Deployment = { kind: 'sharded', transactions: true };

/** Types of servers that accept writes, with their deployment. */
const WRITABLE: ReadonlyMap<ServerType, Deployment> = new Map<ServerType, Deployment>([
  ['Standalone', STANDALONE],
  ['RSPrimary', REPLICA_SET],
  ['Mongos', SHARDED],
  // Only a cluster runs behind a load balancer in this mode.
  ['LoadBalancer', SHARDED],
]);

/** The deployment, where a server of it takes writes now. */
export function deploymentOf({ servers }: Pick<TopologyDescription, 'servers'>): Deployment | undefined {
  for (const { type } of servers.values()) {
    const found = WRITABLE.get(type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the driver is bound to one server that answers and takes no writes. It would read from it all the same,
 * and never look for another.
 */
export function isBoundToReader({ type, servers }: Pick<TopologyDescription, 'type' | 'servers'>): boolean {
  if (type !== 'Single') return false;
  return [...servers.values()].some((server) => server.type !== 'Unknown' && !WRITABLE.has(server.type));
}

export interface HandleCache {
  database(name: string): Db;
  collection(database: string, name: string): Collection;
}

/** Beyond so many handles of a kind all are dropped and created again on demand. */
const MAX_HANDLES = 10_000;

function getOrCreate<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_HANDLES) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

/** Databases and collections as this client has them. */
export function createHandleCache(client: MongoClient): HandleCache {
  const databases = new Map<string, Db>();
  const collections = new Map<string, Collection>();
  const database = (name: string) => getOrCreate(databases, name, () => client.db(name));
  return {
    database,
    // The name of a database has no dot in it, so that no two pairs share a key.
    collection: (of, name) => getOrCreate(collections, `${of}.${name}`, () => database(of).collection(name)),
  };
}
