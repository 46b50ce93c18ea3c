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
])('%j is a %s', (description, kind, transactions) => {
  expect(deploymentOf(description)).toEqual({ kind, transactions });
  expect(isBoundToReader(description)).toBe(false);
});

it.each([
  seen('Unknown'),
  seen('Unknown', 'Unknown'),
  seen('ReplicaSetNoPrimary', 'RSSecondary', 'RSArbiter'),
  seen('ReplicaSetNoPrimary', 'PossiblePrimary'),
])('%j takes no writes now', (description) => {
  expect(deploymentOf(description)).toBeUndefined();
  expect(isBoundToReader(description)).toBe(false);
});

it('tells a lone view of a member that only reads from one of a server that is away', () => {
  expect(isBoundToReader(seen('Single', 'RSSecondary'))).toBe(true);
  expect(isBoundToReader(seen('Single', 'Unknown'))).toBe(false);
});
