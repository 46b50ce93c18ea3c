// What there is as a whole: the name spaces of a server, and the measure of one.
import type { DocumentStore, OperationOptions } from '../ports.ts';
import { filledNamespaces } from './collections.ts';
import { repeatedRead } from './connection/repeat.ts';
import type { Connection, IndexKnowledge } from './connection/types.ts';
import { collectionStats } from './stats.ts';

interface Collaborators {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  /** Name spaces with a `database` are databases of that name. */
  readonly separateDatabases: boolean;
}

/** Both look at whole collections. */
const lane = () => 'count' as const;

/** Joins the connection with what is known of indexes. */
export function createSurvey({
  connection,
  indexes,
  separateDatabases,
}: Collaborators): Pick<DocumentStore, 'stats' | 'collections'> {
  return {
    stats: (ns, options: OperationOptions = {}) =>
      connection.run({ ...options, lane }, (scope) =>
        repeatedRead(scope, () => collectionStats(scope, ns, indexes.of(ns))),
      ),
    collections: () =>
      connection.run({ lane }, (scope) =>
        repeatedRead(scope, () => filledNamespaces(scope, { connection, separateDatabases })),
      ),
  };
}
