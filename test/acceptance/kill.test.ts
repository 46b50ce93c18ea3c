// SIGKILL under concurrent writes, again and again: every acknowledged write is there after the restart, no write is
// half there, and revisions and indexes agree with the documents.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Client, connect } from '../helpers/client.ts';
import { createLedger, LEDGER, type Ledger } from '../helpers/ledger.ts';
import { freePort, type ServerProcess, spawnServer } from '../helpers/server-process.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const KILLS = 50;
const WRITERS = 6;
const LONGEST_RUN_MS = 250;
const SEED = 20_260_101;

/** A small generator of our own, so that a failure can be repeated with the same choices. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

async function expectRevisions(
  client: Client,
  document: { _id: string; v: number; n: number; history: readonly string[] },
) {
  const { body } = await client.request('GET', `/1.0/library/ledger/${document._id}/history?count=1000`);
  expect(body.results.map(({ _id }: { _id: string }) => _id)).toEqual(document.history);
  expect(body.results.map(({ v }: { v: number }) => v)).toEqual(
    Array.from({ length: document.v }, (_, index) => index + 1),
  );
  expect(body.results.at(-1).n).toBe(document.n);
}

/** What is found through the index and without it must be the same documents. */
async function expectAgreement(client: Client, found: number) {
  const { body: counted } = await client.request('GET', '/1.0/library/ledger/count');
  const { body: stats } = await client.request('GET', '/1.0/library/ledger/stats');
  const { body: listed } = await client.request('GET', '/1.0/library/ledger?count=1000&sort={"_id":1}');
  expect(counted.metadata.totalCount).toBe(found);
  expect(stats.count).toBe(found);
  expect(listed.results).toHaveLength(found);
}

async function audit(client: Client, ledgers: readonly Ledger[]) {
  const found = (await Promise.all(ledgers.map((ledger) => ledger.audit(client)))).flat();
  await Promise.all(found.map((document) => expectRevisions(client, document)));
  await expectAgreement(client, found.length);
}

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
      for (let kill = 0; kill < KILLS; kill += 1) {
        const writing = Promise.all(ledgers.map((ledger) => ledger.run(client)));
        await Promise.race([writing, pause(10 + random() * LONGEST_RUN_MS)]);
        await server.stop('SIGKILL');
        await writing;
        server = await spawnServer({ cwd: workspace.cwd, port });
        await audit(client, ledgers);
      }
      const acknowledged = ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
      expect(acknowledged).toBeGreaterThan(KILLS * WRITERS);
    } finally {
      await server?.stop('SIGKILL');
      workspace.remove();
    }
  });
});
