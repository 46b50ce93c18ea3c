// Servers whose workspace is in the database: each has an empty folder of its own, and all have what one of them was given.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeployedServer,
  startDeployment,
  type TestDeployment,
} from '../helpers/server-process/deployment.ts';
import { spawnCommand, spawnServer } from '../helpers/server-process/server-process.ts';
import { createDatabase, REPLICA_SET, rawClient, STANDALONE } from '../helpers/store/mongo-servers.ts';

const BOOKS = { fields: { title: { type: 'String', required: true } }, settings: {} };
const answering = (text: string) => `module.exports.get = (req, res) => res.end('"${text}"');`;

const kinds = [
  ['standalone', STANDALONE],
  ['replica set', REPLICA_SET],
] as const;

describe.each(kinds)('Servers with their workspace in one database: %s', (_kind, mongo) => {
  let deployment: TestDeployment;
  let database: ReturnType<typeof createDatabase>;
  let first: DeployedServer;
  let second: DeployedServer;

  /** A server with an empty folder of its own. */
  const addServer = (name: string) => {
    const path = join(deployment.workspace.cwd, name);
    mkdirSync(path);
    return deployment.add({ CLOISTER_WORKSPACE_PATH: path });
  };

  beforeAll(async () => {
    database = createDatabase(mongo ?? '');
    const env = { CLOISTER_WORKSPACE_STORE: 'database' };
    deployment = await startDeployment({ uri: database.uri, count: 0, env });
    first = await addServer('workspace-1');
    second = await addServer('workspace-2');
  });

  afterAll(async () => {
    await deployment.close();
    await database.drop();
  });

  const stored = (collection: string) => rawClient(database.uri).db(database.name).collection(collection);
  const statusOf = async (server: DeployedServer, method: string, path: string, body?: unknown) =>
    (await server.request(method, path, body)).status;

  const isServed = async (server: DeployedServer) => ({
    specification: await statusOf(server, 'POST', '/1.0/library/books', { other: 1 }),
    code: await statusOf(server, 'GET', '/1.0/hello'),
    policy: (await server.request('GET', '/1.0/hello/policy')).body.limits?.cpuMs,
    recipe: await statusOf(server, 'GET', '/api/recipes/thumbnail'),
    route: await statusOf(server, 'GET', '/api/routes/homepage'),
  });
  const SERVED = { specification: 400, code: 200, policy: 77, recipe: 200, route: 200 };

  it('say at their start that files are not read', () => {
    expect(first.server.output()).toContain('are in the database: those in ');
  });

  it('have in force what one of them was given, recorded once', async () => {
    expect(await statusOf(first, 'POST', '/1.0/library/books/config', BOOKS)).toBe(200);
    expect(await first.post('/1.0/hello/config', answering('hello'))).toBe(200);
    await expect.poll(() => statusOf(second, 'GET', '/1.0/hello')).toBe(200);
    const policy = { version: 1, limits: { cpuMs: 77 } };
    expect(await statusOf(second, 'PUT', '/1.0/hello/policy', policy)).toBe(200);
    const recipe = { recipe: 'thumbnail', settings: { width: 10 } };
    expect(await statusOf(first, 'POST', '/api/recipes', recipe)).toBe(201);
    const route = { route: 'homepage', branches: [{ recipe: 'thumbnail' }] };
    expect(await statusOf(second, 'POST', '/api/routes', route)).toBe(200);
    await expect.poll(() => isServed(first)).toEqual(SERVED);
    await expect.poll(() => isServed(second)).toEqual(SERVED);
    const entries = await stored('cloister.audit').find({ target: '/1.0/hello' }).toArray();
    expect(entries.map(({ action }) => action)).toEqual(['endpoint.create', 'endpoint.policy']);
    expect(await stored('cloister.moduleVersions').countDocuments({ key: 'endpoint:1.0/hello' })).toBe(1);
    for (const name of ['workspace-1', 'workspace-2'])
      expect(readdirSync(join(deployment.workspace.cwd, name))).toEqual([]);
  });

  it('that start later have everything', async () => {
    const third = await addServer('workspace-3');
    await expect.poll(() => isServed(third)).toEqual(SERVED);
    await third.server.stop('SIGTERM');
  });

  it('do not read files of their own folders', async () => {
    const folder = join(deployment.workspace.cwd, 'workspace-4/hooks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'mine.js'), 'module.exports = () => {};');
    const server = await deployment.add({ CLOISTER_WORKSPACE_PATH: join(folder, '..') });
    expect(await statusOf(server, 'GET', '/hooks/mine')).toBe(404);
    await server.server.stop('SIGTERM');
  });

  it('forget what is removed', async () => {
    await first.request('DELETE', '/api/recipes/thumbnail');
    await first.request('DELETE', '/1.0/hello/config');
    await expect.poll(() => statusOf(second, 'GET', '/1.0/hello')).toBe(404);
    await expect.poll(() => statusOf(second, 'GET', '/api/recipes/thumbnail')).toBe(404);
    const paths = (await stored('cloister.workspace').find().toArray()).map(({ path }) => path);
    expect(paths.sort()).toEqual(['collections/1.0/library/collection.books.json', 'routes/homepage.json']);
  });

  it('refuse one that has its workspace in files, and name the setting', async () => {
    const env = { ...deployment.env, CLOISTER_WORKSPACE_STORE: 'files' };
    await expect(spawnServer({ cwd: first.cwd, env })).rejects.toThrow(/same `workspace\.store`/);
  });

  it('are checked by a command as files are', async () => {
    const run = () => spawnCommand(['check'], { cwd: first.cwd, env: deployment.env }).ended;
    await stored('cloister.workspace').updateOne({ path: /books/ }, { $set: { text: '{"fields": 1}' } });
    const { code, said } = await run();
    expect(code).toBe(1);
    expect(said).toMatch(/collections\/1\.0\/library\/collection\.books\.json:1.*fields/);
  });
});
