// Servers on machines of their own, to which nobody gave a secret: they share those that the first of them made.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployment, type TestDeployment } from '../helpers/server-process/deployment.ts';
import { spawnCommand, spawnServer } from '../helpers/server-process/server-process.ts';
import { createDatabase, rawClient, STANDALONE } from '../helpers/store/mongo-servers.ts';

describe('Servers to which nobody gave a secret', () => {
  let deployment: TestDeployment;
  let database: ReturnType<typeof createDatabase>;

  beforeAll(async () => {
    database = createDatabase(STANDALONE ?? '');
    deployment = await startDeployment({ uri: database.uri, count: 2, isAuditKeySet: false });
  });

  afterAll(async () => {
    await deployment.close();
    await database.drop();
  });

  const stored = (collection: string) => rawClient(database.uri).db(database.name).collection(collection);
  const filesOf = (cwd: string) => {
    const folder = join(cwd, 'data');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  it('accept the tokens of each other, sign one audit log with one key, and have no file of it', async () => {
    const [first, second] = deployment.servers;
    for (const [n, server] of deployment.servers.entries()) {
      const body = { clientId: `user${n}`, secret: 'one two three four' };
      expect((await server.request('POST', '/api/clients', body)).status).toBe(201);
    }
    const headers = { authorization: `Bearer ${first?.token}` };
    const answer = await fetch(`${second?.server.url}/api/clients`, { headers });
    expect(answer.status).toBe(200);
    const keys = await stored('cloister.audit').distinct('key');
    expect(keys).toHaveLength(1);
    for (const { cwd } of deployment.servers) expect(filesOf(cwd)).not.toContain('audit.key');
  });

  it('and commands on any machine verify the log and add to it', async () => {
    const cwd = deployment.workspace.cwd;
    const run = (args: readonly string[]) => spawnCommand(args, { cwd, env: deployment.env }).ended;
    expect((await run(['clients', 'add', 'later'])).code).toBe(0);
    const { code, said } = await run(['audit', 'verify']);
    expect([code, said]).toEqual([0, expect.stringContaining('keys: ')]);
    expect(await stored('cloister.audit').distinct('key')).toHaveLength(1);
  });

  it('refuse one that has a key of its own, and name the setting', async () => {
    const [first] = deployment.servers;
    const env = { ...deployment.env, CLOISTER_AUTH_AUDIT_KEY: 'o'.repeat(32) };
    await expect(spawnServer({ cwd: first?.cwd ?? '', env })).rejects.toThrow(/same `auth\.auditKey`/);
  });

  it('use the file of an earlier version where there is one, and do not copy it', async () => {
    await Promise.all(deployment.servers.map(({ server }) => server.stop('SIGTERM')));
    const data = join(deployment.workspace.cwd, 'node-3/data');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'audit.key'), `${'f'.repeat(64)}\n`);
    const upgraded = await deployment.add();
    const body = { clientId: 'last', secret: 'one two three four' };
    expect((await upgraded.request('POST', '/api/clients', body)).status).toBe(201);
    expect(await stored('cloister.audit').distinct('key')).toHaveLength(2);
    expect(JSON.stringify(await stored('cloister.secrets').find().toArray())).not.toContain('ffffffff');
  });
});
