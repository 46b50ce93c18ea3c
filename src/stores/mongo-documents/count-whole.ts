// Counts whole collections. The server keeps that number, but after a crash it may be off until somebody counts.

import { LRUCache } from 'lru-cache';
import { ObjectId } from 'mongodb';
import type { Namespace } from '../ports.ts';
import type { Scope } from './connection-types.ts';
import { countRows } from './find-rows.ts';

/** By how much the server's number is off, as long as it is the same process that keeps it. */
interface Drift {
  readonly process: string;
  readonly documents: number;
}

const MOST_COLLECTIONS = 10_000;

export interface WholeCount {
  /** The number of documents in a name space. */
  of(scope: Scope, ns: Namespace): Promise<number>;
}

/** Counts each collection through once for every process that serves it; what moves after that the server tells. */
export function createWholeCount(): WholeCount {
  const drifts = new LRUCache<string, Drift>({ max: MOST_COLLECTIONS });
  return {
    async of(scope, ns) {
      // Documents that move between shards are counted twice.
      if (scope.deployment.kind === 'sharded') return countRows(scope, { ns, query: {} });
      const [process, kept] = await Promise.all([processOf(scope, ns), keptCount(scope, ns)]);
      const key = JSON.stringify([ns.database, ns.collection]);
      const known = drifts.get(key);
      if (known !== undefined && known.process === process) return Math.max(0, kept + known.documents);
      const counted = await countRows(scope, { ns, query: {} });
      const documents = driftOf(counted, kept, await keptCount(scope, ns));
      if (process !== undefined && documents !== undefined) drifts.set(key, { process, documents });
      return counted;
    },
  };
}

/** Undefined where writes came in between and tell nothing of it; writes that explain the difference are no drift. */
function driftOf(counted: number, before: number, after: number): number | undefined {
  if (before === after) return counted - before;
  return counted >= Math.min(before, after) && counted <= Math.max(before, after) ? 0 : undefined;
}

async function keptCount(scope: Scope, ns: Namespace): Promise<number> {
  const maxTimeMS = scope.left();
  return scope.collection(ns).estimatedDocumentCount(maxTimeMS === undefined ? {} : { maxTimeMS });
}

/** Which process serves; another one after every start. */
async function processOf(scope: Scope, ns: Namespace): Promise<string | undefined> {
  const answer = await scope.database(ns.database).command({ hello: 1 });
  const id: unknown = answer['topologyVersion']?.processId;
  return id instanceof ObjectId ? id.toHexString() : undefined;
}
