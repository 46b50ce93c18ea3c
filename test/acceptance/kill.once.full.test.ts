// SIGKILL under concurrent writes, again and again: every acknowledged write is there after the restart, no write is
// half there, and revisions and indexes agree with the documents.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { connectClient } from '../helpers/server-process/client.ts';
import { freePort, type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import {
  createTrackedWriter,
  seededRandom,
  TRACKED_COLLECTION,
  verifyWriters,
} from '../helpers/store/tracked-writer.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const KILLS = 50;
const WRITERS = 6;
const LONGEST_RUN_MS = 250;
const SEED = 20_260_101;

describe('SIGKILL under concurrent writes', () => {
  it(`loses nothing that was acknowledged, ${KILLS} times`, async () => {
    const workspace = createWorkspace({ '1.0/library/ledger': TRACKED_COLLECTION });
    const port = await freePort();
    const random = seededRandom(SEED);
    const ledgers = Array.from({ length: WRITERS }, (_, writer) => createTrackedWriter(writer, random));
    let server: ServerProcess | undefined;
    try {
      server = await spawnServer({ cwd: workspace.cwd, port });
      const client = await connectClient(server.url);
      // A slow machine acknowledges less between two kills, and then there are more of them.
      const acknowledged = () => ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
      for (let kill = 0; kill < KILLS || acknowledged() <= KILLS * WRITERS; kill += 1) {
        const writing = Promise.all(ledgers.map((ledger) => ledger.run(client)));
        await Promise.race([writing, pause(10 + random() * LONGEST_RUN_MS)]);
        await server.stop('SIGKILL');
        await writing;
        server = await spawnServer({ cwd: workspace.cwd, port });
        await verifyWriters(client, ledgers);
      }
    } finally {
      await server?.stop('SIGKILL');
      workspace.remove();
    }
  });
});
