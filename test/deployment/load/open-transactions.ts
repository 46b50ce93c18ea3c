// Has a server hold a transaction open on MongoDB, as one does that is killed between a write and its commit.
import { MongoClient } from 'mongodb';
import { expect } from 'vitest';

/** Holds the next commit of the server of this id back, calls `kill` while its transaction is open, and lets all go on. */
export async function killWithinTransaction(
  uri: string,
  id: string,
  kill: () => Promise<unknown>,
): Promise<void> {
  const client = new MongoClient(uri);
  const admin = client.db('admin');
  const appName = `cloister ${id}`;
  const data = { appName, failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: 60_000 };
  const open = [
    { $currentOp: { idleSessions: true } },
    { $match: { appName, 'command.commitTransaction': 1 } },
  ];
  try {
    await admin.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    await expect.poll(() => admin.aggregate(open).toArray(), { interval: 20 }).not.toHaveLength(0);
    await kill();
  } finally {
    await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
    await client.close();
  }
}
