// A start that the database completes late: the first admin is shown then, and what cannot be is said then.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { describeMongo, ownServer } from '../helpers/store/mongo-servers.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

/** Starts without an admin in the environment, and resolves once it listens. */
async function start(uri: string) {
  const workspace = createWorkspace();
  const { PATH } = process.env;
  const child = spawn(
    process.execPath,
    [join(ROOT, 'src/cloister.js'), 'start', '--port', '0', '--delivery-port', '0'],
    {
      cwd: workspace.cwd,
      env: {
        PATH,
        CLOISTER_SERVER_HOST: '127.0.0.1',
        CLOISTER_DATABASE_ENGINE: 'mongodb',
        CLOISTER_DATABASE_MONGODB_URI: uri,
      },
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    workspace.remove();
  });
  const found = (pattern: RegExp) => pattern.exec(text)?.[1];
  const ready = /^content API ready at (http:\S+)$/m;
  await expect.poll(() => found(ready)).toBeDefined();
  return { child, ended, found, url: found(ready) ?? '', output: () => text };
}

/** A server that is not there, after `prepare` has been there. */
async function goneServer(prepare: (client: MongoClient) => Promise<unknown> = async () => {}) {
  const server = await ownServer();
  const client = new MongoClient(server.uri);
  await prepare(client);
  await client.close();
  await server.kill();
  return { ...server, uri: new URL('site', server.uri).href };
}

describeMongo('A start that the database completes late', () => {
  it('shows the first admin then, who may come in', async () => {
    const server = await goneServer();
    const { child, ended, found, url, output } = await start(server.uri);
    expect(output()).not.toMatch(/client id/);
    await server.start();
    await expect.poll(() => output()).toMatch(/^export CLOISTER_ADMIN_SECRET=/m);
    const [clientId = '', secret = ''] = [found(/^client id: (\S+)$/m), found(/^client secret: (\S+)$/m)];
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
    const client = await connectClient(url, { clientId, secret });
    expect((await client.request('GET', '/api/clients')).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output().match(/client secret/g)).toHaveLength(1);
  });

  it('ends with 1 when it turns out to be impossible', async () => {
    const twins = [{ clientId: 'twin' }, { clientId: 'twin' }];
    const server = await goneServer((client) =>
      client
        .db('site')
        .collection('cloister.clients')
        .insertMany(twins, { writeConcern: { j: true } }),
    );
    const { ended, output } = await start(server.uri);
    await server.start();
    expect(await ended).toBe(1);
    expect(output()).toMatch(/^cloister: could not start: the database cannot be used \(duplicate\)/m);
  });
});
