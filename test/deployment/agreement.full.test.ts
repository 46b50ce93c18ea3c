// Two processes on one database agree: on code, suspensions, specifications, clients and settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeployedServer,
  startDeployment,
  type TestDeployment,
} from '../helpers/server-process/deployment.ts';
import {
  resumeProcess,
  spawnCommand,
  spawnServer,
  suspendProcess,
} from '../helpers/server-process/server-process.ts';
import { createDatabase, REPLICA_SET, rawClient, STANDALONE } from '../helpers/store/mongo-servers.ts';

const answering = (text: string) => `module.exports.get = (req, res) => res.end('${text}');`;

const kinds = [
  ['standalone', STANDALONE],
  ['replica set', REPLICA_SET],
] as const;

describe.each(kinds)('Two processes on one database: %s', (_kind, mongo) => {
  let deployment: TestDeployment;
  let database: ReturnType<typeof createDatabase>;
  let first: DeployedServer;
  let second: DeployedServer;

  beforeAll(async () => {
    database = createDatabase(mongo ?? '');
    deployment = await startDeployment({ uri: database.uri, count: 2 });
    [first, second] = deployment.servers as [DeployedServer, DeployedServer];
  });

  afterAll(async () => {
    await deployment.close();
    await database.drop();
  });

  const stored = (collection: string) => rawClient(database.uri).db(database.name).collection(collection);
  const textOf = async ({ server, token }: DeployedServer, path: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
    return `${answer.status} ${await answer.text()}`;
  };
  const agree = (path: string) =>
    expect.poll(async () => new Set([await textOf(first, path), await textOf(second, path)]), {
      interval: 50,
    });

  it('both end with the code of a file that both see edited, which is recorded once', async () => {
    expect(await first.post('/1.0/edited/config', answering('posted'))).toBe(200);
    const file = join(deployment.workspace.path, 'endpoints/1.0/endpoint.edited.js');
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(file, answering(text));
      await agree('/1.0/edited').toEqual(new Set([`200 ${text}`]));
    }
    const versions = await stored('cloister.moduleVersions').find({ key: 'endpoint:1.0/edited' }).toArray();
    expect(versions.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4]);
    const entries = await stored('cloister.audit').find({ target: '/1.0/edited' }).toArray();
    expect(entries.map(({ action }) => action)).toEqual([
      'endpoint.create',
      ...Array(3).fill('endpoint.replace'),
    ]);
    expect(deployment.servers.map(({ server }) => server.output()).join()).not.toMatch(
      /E11000|could not apply/,
    );
  });

  it('a specification that is edited by hand is recorded once', async () => {
    const path = '/1.0/library/edited';
    await first.request('POST', `${path}/config`, { fields: { a: {} }, settings: {} });
    const file = join(deployment.workspace.path, 'collections/1.0/library/collection.edited.json');
    writeFileSync(file, JSON.stringify({ fields: { b: {} }, settings: {} }));
    const fieldsOf = async (server: DeployedServer) =>
      Object.keys((await server.request('GET', `${path}/config`)).body.fields);
    await expect.poll(() => Promise.all([first, second].map(fieldsOf))).toEqual([['b'], ['b']]);
    await pause(1500);
    const entries = await stored('cloister.audit').find({ target: path }).toArray();
    expect(entries.map(({ action }) => action)).toEqual(['specification.create', 'specification.replace']);
  });

  it('a suspension is in force in both when it is answered, by whichever it is given and lifted', async () => {
    expect(await first.post('/1.0/stopped/config', answering('runs'))).toBe(200);
    await agree('/1.0/stopped').toEqual(new Set(['200 runs']));
    for (const [giver, other] of [
      [first, second],
      [second, first],
    ] as const) {
      await giver.request('POST', '/1.0/stopped/suspend');
      expect(await textOf(other, '/1.0/stopped')).toMatch(/^503 .*ENDPOINT_SUSPENDED/);
      await other.request('DELETE', '/1.0/stopped/suspend');
      await agree('/1.0/stopped').toEqual(new Set(['200 runs']));
    }
  });

  it('a command suspends in both before it ends, and says so', async () => {
    expect(await first.post('/1.0/ordered/config', answering('runs'))).toBe(200);
    const run = async (action: string) => {
      const options = { cwd: first.cwd, env: deployment.env };
      return spawnCommand(['endpoints', action, '1.0/ordered'], options).ended;
    };
    const { code, said } = await run('suspend');
    expect([code, said]).toEqual([0, 'suspended 1.0/ordered: in force in all 2 running servers\n']);
    expect(await textOf(first, '/1.0/ordered')).toMatch(/^503/);
    expect(await textOf(second, '/1.0/ordered')).toMatch(/^503/);
    expect((await run('resume')).said).toContain('in force in all 2 running servers');
    await agree('/1.0/ordered').toEqual(new Set(['200 runs']));
    await expect.poll(() => stored('cloister.moduleOrders').countDocuments()).toBe(0);
  });

  it('no write lacks a field that was required when it began, in either', async () => {
    const path = '/1.0/library/required';
    const fields = { name: { type: 'String' } };
    await first.request('POST', `${path}/config`, { fields, settings: {} });
    let isRequired = false;
    let isOver = false;
    let accepted = 0;
    const late: unknown[] = [];
    const write = async (server: DeployedServer) => {
      while (!isOver) {
        const was = isRequired;
        const { status, body } = await server.request('POST', path, { name: 'x' });
        if (status === 200) accepted += 1;
        if (status === 200 && was) late.push(body);
        expect([200, 400]).toContain(status);
      }
    };
    const writers = [first, second, first, second].map(write);
    await expect.poll(() => accepted, { interval: 5 }).toBeGreaterThan(20);
    const needed = { ...fields, needed: { type: 'String', required: true } };
    const posted = await first.request('POST', `${path}/config`, { fields: needed, settings: {} });
    isRequired = true;
    expect(posted.status).toBe(200);
    await pause(700);
    isOver = true;
    await Promise.all(writers);
    expect(late).toEqual([]);
    const { body } = await second.request('GET', `${path}/count`);
    expect(body.metadata.totalCount).toBe(accepted);
  });

  it('a client that one removes gets nothing of the other within a second', async () => {
    await first.request('POST', '/api/clients', { clientId: 'leaving', secret: 'one two three four' });
    const body = JSON.stringify({ clientId: 'leaving', secret: 'one two three four' });
    const headers = { 'content-type': 'application/json' };
    const login = await fetch(`${second.server.url}/token`, { method: 'POST', headers, body });
    const { accessToken } = (await login.json()) as { accessToken: string };
    const ask = async () => {
      const authorization = `Bearer ${accessToken}`;
      return (await fetch(`${second.server.url}/api/collections`, { headers: { authorization } })).status;
    };
    expect(await ask()).toBe(200);
    expect((await first.request('DELETE', '/api/clients/leaving')).status).toBe(204);
    const from = performance.now();
    while ((await ask()) !== 401) expect(performance.now() - from).toBeLessThan(2500);
  });

  it('each lists both, with what they have in force', async () => {
    for (const { request, server } of [first, second]) {
      const { processes } = (await request('GET', '/api/status')).body;
      expect(processes).toHaveLength(2);
      expect(processes[0]).toMatchObject({ isSelf: true, address: server.url.slice('http://'.length) });
      expect(new Set(processes.map(({ pid }: { pid: number }) => pid))).toEqual(
        new Set([first.server.process.pid, second.server.process.pid]),
      );
    }
  });

  it.each([
    ['auth.tokenSecret', { CLOISTER_AUTH_TOKEN_SECRET: 't'.repeat(40) }],
    ['auth.auditKey', { CLOISTER_AUTH_AUDIT_KEY: 'o'.repeat(32) }],
    ['media.tokenSecret', { CLOISTER_MEDIA_TOKEN_SECRET: 'm'.repeat(40) }],
    ['database.enableCollectionDatabases', { CLOISTER_DATABASE_ENABLE_COLLECTION_DATABASES: 'true' }],
  ])('another one whose %s differs does not start, and is told which', async (setting, env) => {
    const options = { cwd: first.cwd, env: { ...deployment.env, ...env } };
    const failure = await spawnServer(options).then(
      ({ stop }) => stop().then(() => 'it started'),
      ({ message }: Error) => message,
    );
    expect(failure).toContain('ended with 1');
    expect(failure).toContain(setting);
  });

  it('one that cannot look for five seconds suspends code and writes, and resumes by itself', async () => {
    expect(await first.post('/1.0/cut/config', answering('runs'))).toBe(200);
    await agree('/1.0/cut').toEqual(new Set(['200 runs']));
    const { pid = 0 } = second.server.process;
    // One that is stopped with a lock in its hands keeps the others from any change until its time is over.
    await expect
      .poll(async () => {
        await suspendProcess(pid);
        const locks = await stored('cloister.locks').countDocuments();
        if (locks > 0) resumeProcess(pid);
        return locks;
      })
      .toBe(0);
    // Whoever suspends meanwhile waits until the other one may not go on.
    const { status } = await first.request('POST', '/1.0/cut/suspend');
    resumeProcess(pid);
    expect(status).toBeLessThan(300);
    expect(await textOf(second, '/1.0/cut')).toMatch(/^503/);
    await first.request('DELETE', '/1.0/cut/suspend');
    await agree('/1.0/cut').toEqual(new Set(['200 runs']));
    const { body } = await second.request('POST', '/1.0/library/required', { name: 'x', needed: 'y' });
    expect(body.results).toHaveLength(1);
  });

  it('the policy that one puts is that of its file for the other', async () => {
    await first.post('/1.0/limited/config', answering('runs'));
    await agree('/1.0/limited').toEqual(new Set(['200 runs']));
    const policy = { version: 1, limits: { cpuMs: 77 } };
    expect((await second.request('PUT', '/1.0/limited/policy', policy)).status).toBe(200);
    await expect
      .poll(async () => (await first.request('GET', '/1.0/limited/policy')).body.limits)
      .toEqual({ cpuMs: 77 });
    const file = join(deployment.workspace.path, 'endpoints/1.0/endpoint.limited.policy.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(policy);
  });
});
