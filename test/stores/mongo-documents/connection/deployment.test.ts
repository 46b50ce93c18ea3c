import type { ServerDescription, ServerType, TopologyType } from 'mongodb';
import { expect, it } from 'vitest';
import {
  deploymentOf,
  isBoundToReader,
} from '../../../../src/stores/mongo-documents/connection/deployment.ts';

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
