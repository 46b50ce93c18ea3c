// What kind of server answers, read from what the driver sees of it all the time: no round trip of its own.
import type { ServerType, TopologyDescription } from 'mongodb';
import type { Deployment } from './types.ts';

const STANDALONE: Deployment = { kind: 'standalone', transactions: false };
const REPLICA_SET: Deployment = { kind: 'replica set', transactions: true };
const SHARDED: Deployment = { kind: 'sharded', transactions: true };

/** Servers that take writes, and what stands behind them. */
const WRITABLE: ReadonlyMap<ServerType, Deployment> = new Map<ServerType, Deployment>([
  ['Standalone', STANDALONE],
  ['RSPrimary', REPLICA_SET],
  ['Mongos', SHARDED],
  // Only a cluster stands behind a balancer that calls itself one.
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
