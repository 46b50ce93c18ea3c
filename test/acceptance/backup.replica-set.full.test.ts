// A backup of a server at work, restored elsewhere: real processes, real files.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { type ServerProcess, spawnCommand, spawnServer } from '../helpers/server-process/server-process.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import {
  createWorkspace,
  mongoEnvironment,
  mongoOfWorkspaces,
  type Workspace,
  withDatabase,
} from '../helpers/temp/workspace.ts';

const FILES = '/1.0/library/files';

let workspace: Workspace;
let running: ServerProcess[];

beforeEach(() => {
  workspace = createWorkspace({
    ...LIBRARY,
    '1.0/library/files': { fields: {}, settings: { type: 'media' } },
  });
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.stop('SIGKILL');
  workspace.remove();
});

/** The database of a site in another folder: the configuration in the backup names that of the first one. */
function databaseOf(cwd: string): Readonly<Record<string, string>> {
  const server = mongoOfWorkspaces();
  return server === undefined ? {} : mongoEnvironment(withDatabase(server, basename(cwd)));
}

async function start(cwd: string): Promise<ServerProcess> {
  const server = await spawnServer({ cwd, env: databaseOf(cwd) });
  running.push(server);
  return server;
}

const cloister = (cwd: string, ...args: readonly string[]) =>
  spawnCommand(args, { cwd, env: databaseOf(cwd) }).ended;

async function upload(url: string, { token }: Client, name: string, text: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/plain' }), name);
  const headers = { authorization: `Bearer ${token}` };
  let answer = await fetch(`${url}${FILES}`, { method: 'POST', headers, body: form });
  // A database that is slow on a busy machine.
  while (answer.status === 503) {
    await answer.arrayBuffer();
    answer = await fetch(`${url}${FILES}`, { method: 'POST', headers, body: form });
  }
  const { results } = (await answer.json()) as { results: { _id: string }[] };
  return results[0]?._id ?? '';
}

/** Uploads files and removes them again until it is stopped: most of what a backup meets is gone a moment later. */
function keepBusy(url: string, client: Client) {
  let isOn = true;
  const work = async () => {
    for (let n = 0; isOn; n += 1) {
      const id = await upload(url, client, `short-${n}.txt`, `file ${n}`);
      await client.request('POST', '/1.0/library/people', { name: `P${n}` });
      await client.request('DELETE', `${FILES}/${id}`);
    }
  };
  const done = Promise.all([work(), work()]);
  return async () => {
    isOn = false;
    await done;
  };
}

const modes = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    return `${entry.isDirectory() ? 'd' : 'f'}${(mode & 0o777).toString(8)}`;
  });

/** A site with documents, files, an endpoint and clients, and its backup. */
async function backedUpSite() {
  const server = await start(workspace.cwd);
  const client = await connectClient(server.url);
  await client.request('POST', '/1.0/library/books', { title: 'Emma', author: { name: 'Jane Austen' } });
  await client.request('POST', '/api/clients', { clientId: 'app', secret: 'the secret of app' });
  for (let n = 0; n < 30; n += 1) await upload(server.url, client, `kept-${n}.txt`, `kept ${n}`);
  const stop = keepBusy(server.url, client);
  const backup = join(await temporaryFolder(), 'backup');
  const made = await cloister(workspace.cwd, 'backup', backup);
  await stop();
  return { server, client, backup, made };
}

it('a restored backup of a busy server has each file that a record names, its clients and a whole audit log', async () => {
  const { server, client, backup, made } = await backedUpSite();
  expect(made).toEqual({ code: 0, said: expect.stringMatching(/^backed up \d+ files, .* to /m) });
  // An export is no snapshot: a record that was removed after it was read is named.
  const named = [...made.said.matchAll(/^(\S+): the file of this record/gm)].map(([, key]) => key);
  if (mongoOfWorkspaces() === undefined) expect(named).toEqual([]);
  expect(new Set(modes(backup))).toEqual(new Set(['d700', 'f600']));
  const { body: book } = await client.request('GET', '/1.0/library/books?compose=true');
  await server.stop();

  const cwd = await temporaryFolder();
  const restored = await cloister(cwd, 'restore', backup);
  expect(restored).toEqual({
    code: 0,
    said: expect.stringMatching(/^the backup of .* is whole: .*\nrestored \d+ files/),
  });
  const again = await start(cwd);
  const app = await connectClient(again.url, { clientId: 'app', secret: 'the secret of app' });
  expect(app.token).toEqual(expect.any(String));
  const admin = await connectClient(again.url);
  expect((await admin.request('GET', '/1.0/library/books?compose=true')).body.results).toEqual(book.results);
  const { results } = (await admin.request('GET', `${FILES}?count=1000`)).body;
  expect(results.length).toBeGreaterThanOrEqual(30);
  for (const { path, contentLength } of results) {
    if (named.includes(path.replace(/^.*?(?=1\.0\/)/, ''))) continue;
    const answer = await fetch(`${again.url}/${path}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    });
    expect([answer.status, (await answer.text()).length]).toEqual([200, contentLength]);
  }
  expect((await cloister(cwd, 'audit', 'verify')).code).toBe(0);
  if (mongoOfWorkspaces() === undefined) expect((await cloister(cwd, 'check', '--data')).code).toBe(0);
});

/**
 * Runs a command and kills it as soon as `isMidway`; again where it was faster than the look. Resolves with the folder that the
 * killed one leaves.
 */
async function killMidway(
  commandIn: (folder: string) => ReturnType<typeof spawnCommand>,
  isMidway: (folder: string) => boolean,
): Promise<string> {
  for (;;) {
    const folder = await temporaryFolder();
    const { child, ended } = commandIn(folder);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver && !isMidway(folder)) await setImmediate();
    child.kill('SIGKILL');
    await ended;
    if (isMidway(folder)) return folder;
  }
}

it('a backup that was killed is taken up again by the same command', async () => {
  const { backup } = await backedUpSite();
  const run = (folder: string) =>
    spawnCommand(['backup', folder], { cwd: workspace.cwd, env: databaseOf(workspace.cwd) });
  const folder = await killMidway(run, (some) => filesBelow(some).some((name) => name.startsWith('media/')));
  const fresh = await temporaryFolder();
  expect((await cloister(fresh, 'restore', folder)).said).toMatch(/holds no complete backup/);
  expect((await cloister(workspace.cwd, 'backup', folder)).code).toBe(0);
  expect((await cloister(workspace.cwd, 'backup', folder)).said).toMatch(/holds a complete backup/);
  expect((await cloister(fresh, 'restore', folder, '--dry-run')).said).toMatch(/it could be restored/);
  expect(filesBelow(fresh)).toEqual([]);
  expect(filesBelow(folder).length).toBeLessThanOrEqual(filesBelow(backup).length);
});

it('a restore that was killed is completed by the same command, and nothing uses the data before', async () => {
  const { server, backup } = await backedUpSite();
  await server.stop();
  const run = (cwd: string) => spawnCommand(['restore', backup], { cwd, env: databaseOf(cwd) });
  const cwd = await killMidway(run, (some) => existsSync(join(some, 'data/cloister.restore.json')));
  expect(await cloister(cwd, 'clients', 'list')).toEqual({
    code: 1,
    said: expect.stringContaining('run `cloister restore` again'),
  });
  expect(await cloister(cwd, 'start', '--port', '0', '--delivery-port', '0')).toEqual({
    code: 1,
    said: expect.stringContaining('has not ended'),
  });
  expect((await cloister(cwd, 'restore', backup)).code).toBe(0);
  expect(filesBelow(cwd).filter((name) => /cloister-restore|restore\.json/.test(name))).toEqual([]);
  expect((await cloister(cwd, 'clients', 'list')).said).toContain('app\tuser');
});
