// Ends transactions of a process that is gone. MongoDB does not notice that a client has ended: it keeps the documents of an open
// transaction locked until `transactionLifetimeLimitSeconds` are over, for a minute unless set.
import type { Document } from 'mongodb';
import type { DocumentStore } from '../../ports.ts';
import { applicationName } from '../connection/connection-string.ts';
import { retryRead } from '../connection/errors.ts';
import type { MongoConnection, OperationScope } from '../connection/types.ts';

/** Sessions in which the process has a transaction open. A user may always see and end what is its own. */
async function findSessions(scope: OperationScope, owner: string): Promise<readonly Document[]> {
  const stages = [
    { $currentOp: { allUsers: false, idleSessions: true } },
    { $match: { appName: applicationName(owner), transaction: { $exists: true } } },
    { $project: { lsid: 1 } },
  ];
  // The majority knows nothing of what runs.
  const options = { readConcern: { level: 'local' }, ...scope.timeLimit() } as const;
  return scope.client.db('admin').aggregate(stages, options).toArray();
}

/** Creates the `endWorkOf` of the store. */
export function createEndWorkOf(
  connection: Pick<MongoConnection, 'run'>,
): Required<DocumentStore>['endWorkOf'] {
  const endTransactions = async (scope: OperationScope, owner: string) => {
    if (!scope.deployment.transactions) return;
    const found = await retryRead(scope, () => findSessions(scope, owner));
    const sessions = found.flatMap(({ lsid }) => (lsid === undefined ? [] : [{ id: lsid.id }]));
    if (sessions.length === 0) return;
    await scope.client.db('admin').command({ killSessions: sessions, ...scope.timeLimit() });
  };
  return (owner, options = {}) => connection.run(options, (scope) => endTransactions(scope, owner));
}
