// The database is away: at the start, later, or there but silent. The server stays up and everything works again by itself.
import { afterEach, expect, it } from 'vitest';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { loopMs, pollWithin } from '../helpers/server-process/timing.ts';
import { describeMongo, ownServer } from '../helpers/store/mongo-servers.ts';
import {
  createWorkspace,
  mongoEnvironment,
  type Workspace,
  withDatabase,
} from '../helpers/temp/workspace.ts';

const BOOKS = '/1.0/library/books';
const TOKEN_SECRET = 'a signing secret of tests, long enough to be taken';
const BACK_WITHIN_MS = 30_000;
const QUERY_MS = 2000;
/** Beyond the limit of an operation, and far from the minutes of a connection that hangs. */
const NO_HANG_MS = 10_000;

let workspace: Workspace;
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  workspace.remove();
});

async function start(uri: string, until: '/hello' | '/health', config = {}) {
  workspace = createWorkspace(LIBRARY, { limits: { queryMs: QUERY_MS }, ...config });
  const env = mongoEnvironment(withDatabase(uri, 'away'));
  server = await spawnServer({ cwd: workspace.cwd, env, until });
  return server;
}

async function untilHealthy(url: string): Promise<void> {
  await pollWithin(BACK_WITHIN_MS, async () => expect((await fetch(`${url}/health`)).status).toBe(200));
}

/** Expects the refusal that says: come again. */
async function expectAway(url: string, init: RequestInit = {}): Promise<void> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  expect([answer.status, answer.headers.get('retry-after')], text).toEqual([
    503,
    expect.stringMatching(/^[1-9]\d*$/),
  ]);
  expect(JSON.parse(text).errors[0].code).toBe('API-0004');
  expect(text).not.toMatch(/mongo|ECONNREFUSED|127\.0\.0\.1|topology/i);
}

const credentials = (id: string, secret: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ clientId: id, secret }),
});
const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

describeMongo('While the database is away', () => {
  it('a start completes once the database is available', async () => {
    const mongod = await ownServer({ auth: true });
    await mongod.kill();
    let ready: ServerProcess | undefined;
    const startMs = await loopMs(async () => {
      ready = await start(mongod.uri.replace('root@', '%72oot@'), '/hello');
    });
    const { url, output } = ready as ServerProcess;
    expect(startMs).toBeLessThan(NO_HANG_MS);
    expect((await fetch(`${url}/health`)).status).toBe(503);
    await expectAway(`${url}/token`, credentials('admin', 'a secret for tests only'));
    await expectAway(`${url}${BOOKS}`, bearer('e30.e30.e30'));
    expect((await fetch(`${url}/hello`)).status).toBe(200);
    await mongod.start();
    await untilHealthy(url);
    const client = await connectClient(url);
    const created = await client.request('POST', BOOKS, { title: 'Late' });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const { body: stats } = await client.request('GET', `${BOOKS}/stats`);
    expect(Object.keys(stats.indexSizes)).toEqual(expect.arrayContaining(['title_1', 'pages_1_title_1']));
    const { body: shown } = await client.request('GET', '/api/config');
    expect(shown.database.mongodb.uri).toBe('********');
    expect(output()).not.toMatch(/root:|%72oot/);
    expect(output()).toContain('standalone');
  });

  it('requests are refused, and served again without a restart', async () => {
    const mongod = await ownServer();
    const { url } = await start(mongod.uri, '/health', { auth: { tokenSecret: TOKEN_SECRET } });
    const client = await connectClient(url);
    const { body } = await client.request('POST', BOOKS, { title: 'Early' });
    const path = `${url}${BOOKS}/${body.results[0]._id}`;
    for (let round = 0; round < 2; round += 1) {
      await (round === 0 ? mongod.stop() : mongod.kill());
      const refused = await loopMs(() =>
        Promise.all([
          expectAway(path, bearer(client.token)),
          expectAway(`${url}${BOOKS}?cache=false`, bearer(client.token)),
          expectAway(path, {
            ...bearer(client.token),
            method: 'PUT',
            body: '{"pages":1}',
            headers: { ...bearer(client.token).headers, 'content-type': 'application/json' },
          }),
          expectAway(`${url}/token`, credentials('nobody', 'wrong')),
        ]),
      );
      expect(refused).toBeLessThan(NO_HANG_MS);
      expect((await fetch(`${url}${BOOKS}`, bearer(`${client.token}x`))).status).toBe(401);
      expect((await fetch(`${url}/hello`)).status).toBe(200);
      expect((await fetch(`${url}/health`)).status).toBe(503);
      await mongod.start();
      await untilHealthy(url);
      const answer = await client.request('GET', `${BOOKS}/${body.results[0]._id}`);
      expect([answer.status, answer.body.results]).toEqual([200, body.results]);
    }
    expect((await client.request('POST', BOOKS, { title: 'Afterwards' })).status).toBe(200);
  });

  it('a database that does not answer delays no request beyond the time limit', async () => {
    const mongod = await ownServer();
    const { url } = await start(mongod.uri, '/health');
    const client = await connectClient(url);
    expect((await client.request('POST', BOOKS, { title: 'Before' })).status).toBe(200);
    await mongod.suspend();
    const refused = await loopMs(() =>
      Promise.all(Array.from({ length: 50 }, () => expectAway(`${url}${BOOKS}`, bearer(client.token)))),
    );
    expect(refused).toBeLessThan(NO_HANG_MS);
    expect((await fetch(`${url}/hello`)).status).toBe(200);
    mongod.resume();
    await untilHealthy(url);
    const { status, body } = await client.request('GET', BOOKS);
    expect([status, body.metadata.totalCount]).toEqual([200, 1]);
  });
});
