// Reads the kind of deployment from the driver's topology description, without a round trip.
import type { ServerType, TopologyDescription } from 'mongodb';
import type { Deployment } from './types.ts';

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
