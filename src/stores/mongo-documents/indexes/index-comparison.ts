// Compares the indexes of the database with those that the specifications declare, and counts what keeps documents out of the
// missing unique ones. Changes nothing.
import type { Document } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import {
  type IndexComparison,
  type IndexDifference,
  type IndexObstacles,
  type NamespaceIndexes,
  NO_OBSTACLES,
} from '../../index-differences.ts';
import type { IndexDefinition, Namespace } from '../../ports.ts';
import { createConnection } from '../connection/connection.ts';
import type { MongoConnection, MongoOptions } from '../connection/types.ts';
import { planFor } from './index-builds.ts';
import type { IndexSpec } from './migration-plan.ts';

/** The path and everything above it: `a`, `a.b`, `a.b.c`. */
const prefixesOf = (path: string): readonly string[] => {
  const parts = path.split('.');
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
};

/** Counts the documents that share a key of a unique index, and these keys. Documents are grouped by their keys, as the server makes them: element by element, missing as null. */
function sharedKeys({ keys, sparse }: IndexDefinition): Document[] {
  const paths = keys.map(({ path }) => path);
  const prefixes = [...new Set(paths.flatMap(prefixesOf))];
  const isThere = { $or: paths.map((path) => ({ [path]: { $exists: true } })) };
  const key = Object.fromEntries(paths.map((path, at) => [`k${at}`, { $ifNull: [`$${path}`, null] }]));
  return [
    ...prefixes.map((path) => ({ $unwind: { path: `$${path}`, preserveNullAndEmptyArrays: true } })),
    ...(sparse ? [{ $match: isThere }] : []),
    { $group: { _id: { key, document: '$_id' } } },
    { $group: { _id: '$_id.key', documents: { $sum: 1 } } },
    { $match: { documents: { $gt: 1 } } },
    { $group: { _id: null, documents: { $sum: '$documents' }, values: { $sum: 1 } } },
  ];
}

/** No bound on time: the whole collection is read. */
const NO_LIMIT = { deadline: Number.POSITIVE_INFINITY };

async function findObstacles(
  connection: Pick<MongoConnection, 'run'>,
  ns: Namespace,
  definition: IndexDefinition,
): Promise<IndexObstacles> {
  if (!definition.unique) return NO_OBSTACLES;
  const [found] = await connection.run(NO_LIMIT, (scope) =>
    scope.collection(ns).aggregate(sharedKeys(definition), { allowDiskUse: true }).toArray(),
  );
  return { documents: found?.['documents'] ?? 0, values: found?.['values'] ?? 0, parallelArrays: 0 };
}

/** The definition of an index that no specification declares any more. */
const definitionOf = ({ name, keys, unique, sparse }: IndexSpec): IndexDefinition => ({
  name,
  unique,
  sparse,
  keys: keys.map(([path, direction]) => ({ path, direction })),
});

/** The differences of all these namespaces. Indexes that other programs made are none, nor are those that only make queries faster. */
async function compareDeclared(
  connection: Pick<MongoConnection, 'run'>,
  declared: readonly NamespaceIndexes[],
): Promise<readonly IndexDifference[]> {
  const closing = new AbortController().signal;
  const differences: IndexDifference[] = [];
  for (const { namespace: ns, indexes } of declared) {
    const conflict = (definition: IndexDefinition, explanation?: string) =>
      differences.push({ kind: 'conflict', ns, definition, obstacles: NO_OBSTACLES, explanation });
    const plan = await planFor({ connection, ns, closing }, indexes).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.reason !== 'index-conflict') throw error;
      // A view or a time-series collection.
      for (const definition of indexes) conflict(definition, error.explanation);
    });
    if (plan === undefined) continue;
    for (const { definition, index } of plan.placements) {
      if (index.exists) continue;
      const obstacles = await findObstacles(connection, ns, definition);
      differences.push({ kind: 'missing', ns, definition, obstacles });
    }
    for (const definition of plan.conflicts) conflict(definition);
    for (const spec of plan.undeclared) {
      differences.push({ kind: 'undeclared', ns, definition: definitionOf(spec), obstacles: NO_OBSTACLES });
    }
  }
  return differences;
}

/** Opens the comparison without waiting for the server. Throws CONFIGURATION_INVALID for a connection string that cannot be read. */
export function openMongoComparison(options: MongoOptions): IndexComparison {
  const connection = createConnection(options);
  return {
    compare: (declared) => compareDeclared(connection, declared),
    close: () => connection.close(),
  };
}
