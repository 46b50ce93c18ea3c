// Removing records over HTTP removes their files, and a start finishes what a crash left of that.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertEntry } from '../../src/collections/writes/file-removals/removal-entries.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDocumentStore } from '../../src/stores/open/document-store.ts';
import type { Write } from '../../src/stores/ports.ts';
import { startApp } from '../helpers/app/app.ts';
import { type MediaServer, PICTURES, startMediaServer } from '../helpers/app/media-server.ts';

let server: MediaServer;
beforeEach(async () => {
  server = await startMediaServer();
});
afterEach(() => server.close());

async function upload(...names: readonly string[]): Promise<{ _id: string; path: string; v: number }[]> {
  const parts = names.map((fileName) => ({ fileName, type: 'text/plain', body: fileName }));
  const { status, body } = await server.upload(parts);
  expect(status).toBe(201);
  return body.results;
}

/** Writes to the documents of a server that does not run. */
async function commit(writes: readonly Write[]): Promise<void> {
  const { cwd } = server.workspace;
  const { config } = await loadConfig({ flags: {}, env: {}, cwd });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const store = await openDocumentStore(config.database, { cwd, queueLimit: 10, queryMs: 10_000, log });
  await store.commit(writes);
  await store.close();
}

it('a file goes with its record, by id and by query', async () => {
  const [first, second] = await upload('a.txt', 'b.txt', 'c.txt');
  expect((await server.inject('DELETE', `${PICTURES}/${first!._id}`)).status).toBe(204);
  expect(server.files()).toHaveLength(2);
  expect((await server.inject('GET', `${PICTURES}/${first!._id}/file`)).status).toBe(404);
  for (const body of [{ query: { path: second!.path } }, { query: {}, all: true }]) {
    expect((await server.inject('DELETE', PICTURES, { body })).status).toBe(204);
  }
  expect(server.files()).toEqual([]);
});

it('the name of a removed file is free again', async () => {
  const [first] = await upload('a.txt');
  await server.inject('DELETE', `${PICTURES}/${first!._id}`);
  const [again] = await upload('a.txt');
  expect(again!.path).toBe(first!.path);
  expect((await server.inject('GET', `${PICTURES}/${again!._id}/file`)).text).toBe('a.txt');
});

it('a start removes the files of records that were removed just before the server ended', async () => {
  const [gone, kept] = await upload('gone.txt', 'kept.txt');
  await server.app.close();
  const ns = { database: null, collection: 'pictures' };
  const entry = {
    id: 'a'.repeat(24),
    v: 1,
    namespace: ns,
    paths: [gone!.path, kept!.path],
    createdAt: Date.now(),
    claimedBy: 'the one that ended',
    claimedUntil: 0,
  };
  await commit([insertEntry(entry), { kind: 'remove', ns, id: gone!._id, v: gone!.v }]);
  const again = await startApp({ workspace: server.workspace });
  try {
    await expect.poll(server.files).toEqual([kept!.path]);
    expect((await again.inject('GET', `${PICTURES}/count`)).body.metadata.totalCount).toBe(1);
  } finally {
    await again.close();
  }
});
