// SIGKILL under concurrent writes, again and again: every acknowledged write is there after the restart, no write is
// half there, and revisions and indexes agree with the documents.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { connect } from '../helpers/client.ts';
import { createLedger, LEDGER } from '../helpers/ledger.ts';
import { audit, createRandom } from '../helpers/ledger-audit.ts';
import { freePort, type ServerProcess, spawnServer } from '../helpers/server-process.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const KILLS = 50;
const WRITERS = 6;
const LONGEST_RUN_MS = 250;
const SEED = 20_260_101;

describe('SIGKILL under concurrent writes', () => {
  it(`loses nothing that was acknowledged, ${KILLS} times`, { timeout: 180_000 }, async () => {
    const workspace = createWorkspace({ '1.0/library/ledger': LEDGER });
    const port = await freePort();
    const random = createRandom(SEED);
    const ledgers = Array.from({ length: WRITERS }, (_, writer) => createLedger(writer, random));
    let server: ServerProcess | undefined;
    try {
      server = await spawnServer({ cwd: workspace.cwd, port });
      const client = await connect(server.url);
      // A slow machine acknowledges less between two kills, and then there are more of them.
      const acknowledged = () => ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
      for (let kill = 0; kill < KILLS || acknowledged() <= KILLS * WRITERS; kill += 1) {
        const writing = Promise.all(ledgers.map((ledger) => ledger.run(client)));
        await Promise.race([writing, pause(10 + random() * LONGEST_RUN_MS)]);
        await server.stop('SIGKILL');
        await writing;
        server = await spawnServer({ cwd: workspace.cwd, port });
        await audit(client, ledgers);
      }
    } finally {
      await server?.stop('SIGKILL');
      workspace.remove();
    }
  });
});
