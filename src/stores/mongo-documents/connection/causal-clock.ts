// Causal consistency across all reads: a newly elected primary has every majority write but may not know yet that the
// majority has it, and would leave out the last ones:
// https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/
import type { ClientSession, ClusterTime, Document, MongoClient, Timestamp } from 'mongodb';

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

/** A clock that begins with all that there is now: writes of an earlier client, and of other processes. */
export async function startCausalClock(client: MongoClient): Promise<CausalClock> {
  const clock = createCausalClock();
  await client.withSession(async (session) => {
    await client.db('admin').command({ ping: 1 }, { session });
    clock.recordWrite(session);
  });
  return clock;
}
