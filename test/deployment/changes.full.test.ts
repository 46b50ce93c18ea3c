// Changes of every kind, posted to one of three processes: in force in the others within a second, recorded once, gone when deleted.
import { expect, it, onTestFinished } from 'vitest';
import {
  type DeployedServer,
  startDeployment,
  type TestDeployment,
} from '../helpers/server-process/deployment.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { hasRedis, startRedis } from '../helpers/store/redis-and-s3.ts';

/** Of each kind: one posted to each of the processes, where they have transactions. */
const ROUNDS = { standalone: 1, replicaSet: 3 } as const;
/** In force within this time, and what a busy machine adds: the servers have two cores with the other tests. */
const WITHIN_MS = 1000;
const STALLED_MS = 20_000;

interface Change {
  readonly what: string;
  readonly make: (server: DeployedServer) => Promise<number>;
  /** True once a process has it in force. */
  readonly holds: (server: DeployedServer) => Promise<boolean>;
  readonly undo: (server: DeployedServer) => Promise<number>;
}

const status = async (server: DeployedServer, method: string, path: string, body?: unknown) =>
  (await server.request(method, path, body)).status;

const endpoint = (n: number): Change => ({
  what: `endpoint ${n}`,
  make: (server) =>
    server.post(`/1.0/code${n}/config`, `module.exports.get = (req, res) => res.end('"${n}"');`),
  holds: async (server) => (await status(server, 'GET', `/1.0/code${n}`)) === 200,
  undo: (server) => status(server, 'DELETE', `/1.0/code${n}/config`),
});

const suspension = (n: number): Change => ({
  what: `suspension ${n}`,
  make: (server) => status(server, 'POST', '/1.0/standing/suspend'),
  holds: async (server) => (await status(server, 'GET', '/1.0/standing')) === 503,
  undo: (server) => status(server, 'DELETE', '/1.0/standing/suspend'),
});

const policy = (n: number): Change => ({
  what: `policy ${n}`,
  make: (server) => status(server, 'PUT', '/1.0/standing/policy', { version: 1, limits: { cpuMs: 100 + n } }),
  async holds(server) {
    const { body } = await server.request('GET', '/1.0/standing/policy');
    return body.limits?.cpuMs === 100 + n;
  },
  undo: (server) => status(server, 'PUT', '/1.0/standing/policy', { version: 1 }),
});

const specification = (n: number): Change => ({
  what: `specification ${n}`,
  make: (server) =>
    status(server, 'POST', `/1.0/library/things${n}/config`, {
      fields: { name: { type: 'String', required: true } },
      settings: {},
    }),
  holds: async (server) => (await status(server, 'POST', `/1.0/library/things${n}`, { other: 1 })) === 400,
  undo: (server) => status(server, 'DELETE', `/1.0/library/things${n}/config`),
});

const client = (n: number): Change => ({
  what: `client ${n}`,
  make: (server) =>
    status(server, 'POST', '/api/clients', { clientId: `user${n}`, secret: 'one two three four' }),
  async holds({ server }) {
    const body = JSON.stringify({ clientId: `user${n}`, secret: 'one two three four' });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${server.url}/token`, { method: 'POST', body, headers })).status === 200;
  },
  undo: (server) => status(server, 'DELETE', `/api/clients/user${n}`),
});

const recipe = (n: number): Change => ({
  what: `recipe ${n}`,
  make: (server) =>
    status(server, 'POST', '/api/recipes', { recipe: `thumbs${'x'.repeat(n)}`, settings: { width: 10 } }),
  holds: async (server) => (await status(server, 'GET', `/api/recipes/thumbs${'x'.repeat(n)}`)) === 200,
  undo: (server) => status(server, 'DELETE', `/api/recipes/thumbs${'x'.repeat(n)}`),
});

const route = (n: number): Change => ({
  what: `route ${n}`,
  make: (server) =>
    status(server, 'POST', '/api/routes', {
      route: `homes${'x'.repeat(n)}`,
      branches: [{ recipe: 'thumbs' }],
    }),
  holds: async (server) => (await status(server, 'GET', `/api/routes/homes${'x'.repeat(n)}`)) === 200,
  undo: (server) => status(server, 'DELETE', `/api/routes/homes${'x'.repeat(n)}`),
});

const hook = (n: number): Change => ({
  what: `hook ${n}`,
  make: (server) => server.post(`/api/hooks/hook${n}/config`, 'module.exports = (document) => document;'),
  async holds({ request }) {
    const { hooks } = (await request('GET', '/api/hooks')).body;
    return hooks.some(({ name }: { name: string }) => name === `hook${n}`);
  },
  undo: (server) => status(server, 'DELETE', `/api/hooks/hook${n}/config`),
});

async function login({ server }: DeployedServer, clientId: string, secret: string): Promise<string> {
  const body = JSON.stringify({ clientId, secret });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/token`, { method: 'POST', body, headers });
  return ((await answer.json()) as { accessToken: string }).accessToken;
}

/** Whether the token of a client whose secret was changed is refused. Undone: the token that it gets by the new secret is not. */
function secret(n: number): Change {
  const standing = { clientId: `keeper${n}`, secret: 'one two three four' };
  let token = '';
  return {
    what: `secret ${n}`,
    async make(server) {
      await server.request('POST', '/api/clients', standing);
      token = await login(server, standing.clientId, standing.secret);
      return status(server, 'PUT', `/api/clients/${standing.clientId}/secret`, { secret: 'five six seven' });
    },
    async holds({ server }) {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${server.url}/api/collections`, { headers })).status === 401;
    },
    async undo(server) {
      token = await login(server, standing.clientId, 'five six seven');
      return 200;
    },
  };
}

/** Each process has answered once without its cache, which all of them were warm with. There is nothing to undo. */
function flush(n: number): Change {
  const computed = new Set<DeployedServer>();
  let isUndone = false;
  const path = '/1.0/library/cached';
  const isHit = async ({ request }: DeployedServer) =>
    (await request('GET', path)).headers.get('x-cache') === 'HIT';
  return {
    what: `flush ${n}`,
    make: (server) => status(server, 'POST', '/api/flush', { path }),
    async holds(server) {
      if (!isUndone && !(await isHit(server))) computed.add(server);
      return !isUndone && computed.has(server);
    },
    async undo() {
      isUndone = true;
      return 200;
    },
  };
}

const KINDS = [endpoint, policy, suspension, specification, client, recipe, route, hook, secret];

/** Has all processes keep the answer that is flushed. */
async function warm({ servers }: TestDeployment): Promise<void> {
  for (const { request } of servers) {
    const answer = async () => (await request('GET', '/1.0/library/cached')).headers.get('x-cache');
    await expect.poll(answer).toBe('HIT');
  }
}

const STANDING = "module.exports.get = (req, res) => res.end('1');";

/** Milliseconds until all others agree, counted from the answer to the change. */
async function untilAll(others: readonly DeployedServer[], agrees: Change['holds']): Promise<number> {
  const from = performance.now();
  for (;;) {
    const answers = await Promise.all(others.map(agrees));
    if (answers.every(Boolean)) return performance.now() - from;
    if (performance.now() - from > WITHIN_MS + STALLED_MS) return Number.POSITIVE_INFINITY;
  }
}

async function makeAndUndo(
  { servers }: TestDeployment,
  change: Change,
  n: number,
): Promise<readonly number[]> {
  const at = servers[n % servers.length]!;
  const others = servers.filter((server) => server !== at);
  expect([200, 201, 204], `${change.what} is made`).toContain(await change.make(at));
  const made = await untilAll(others, change.holds);
  expect(await change.holds(at)).toBe(true);
  expect([200, 204], `${change.what} is undone`).toContain(await change.undo(at));
  const undone = await untilAll(others, async (server) => !(await change.holds(server)));
  return [made, undone];
}

/** Actions and targets of the audit log, and versions of code, that are there more than once though they were made once. */
async function recordedTwice(uri: string, name: string): Promise<readonly string[]> {
  const database = rawClient(uri).db(name);
  const entries = await database.collection('cloister.audit').find().toArray();
  const once = entries.filter(({ action }) => !/policy|suspend|resume|flush/.test(action));
  const counts = new Map<string, number>();
  for (const { action, target } of once) {
    counts.set(`${action} ${target}`, (counts.get(`${action} ${target}`) ?? 0) + 1);
  }
  const nobody = entries.filter(
    ({ clientId, action }) => clientId == null && !/^(client|audit|endpoint.create.*found)/.test(action),
  );
  const versions = await database.collection('cloister.moduleVersions').find().toArray();
  const edited = versions
    .filter(({ clientId }) => clientId === null)
    .map(({ key }) => `version of ${key} by nobody`);
  return [
    ...[...counts].flatMap(([what, count]) => (count > 1 ? [`${count} × ${what}`] : [])),
    ...nobody.map(({ action, target }) => `${action} ${target} by nobody`),
    ...edited,
  ];
}

describeMongo('A change posted to one of three processes', (kinds) => {
  it.each(['standalone', 'replicaSet'] as const)(
    'is in force in the others within a second, and recorded once: %s',
    async (kind) => {
      const { uri, name, drop } = createDatabase(kinds[kind]);
      const redis = hasRedis() ? await startRedis() : undefined;
      onTestFinished(() => redis?.dispose());
      const cache = {
        CLOISTER_CACHE_ENABLED: 'true',
        CLOISTER_CACHE_ENGINE: 'redis',
        CLOISTER_CACHE_REDIS_TIMEOUT_MS: '5000',
      };
      const deployment = await startDeployment({
        uri,
        count: 3,
        specs: { '1.0/library/cached': { fields: { name: { type: 'String' } }, settings: {} } },
        env: redis === undefined ? {} : { ...cache, CLOISTER_CACHE_REDIS_URL: redis.url },
      });
      const times: number[] = [];
      const late: string[] = [];
      const measure = async (change: Change, n: number) => {
        const taken = await makeAndUndo(deployment, change, n);
        times.push(...taken);
        if (taken.some((time) => time > WITHIN_MS + STALLED_MS)) late.push(change.what);
      };
      try {
        const [first] = deployment.servers;
        // On a machine that stalls, a server that was just started may be told that the database is late.
        await expect.poll(() => first!.post('/1.0/standing/config', STANDING)).toBe(200);
        for (let n = 0; n < ROUNDS[kind]; n += 1) {
          for (const change of KINDS) await measure(change(n), n);
          if (redis === undefined) continue;
          await warm(deployment);
          await measure(flush(n), n);
        }
        expect(late).toEqual([]);
        const sorted = times.toSorted((a, b) => a - b);
        console.log(
          `${kind}: ${times.length} changes, median ${sorted[times.length >> 1]}, longest ${sorted.at(-1)} ms`,
        );
        // Most may be late on a machine that does something else as well: the quickest tell whether it could be in time.
        expect(sorted[Math.floor(times.length / 3)]).toBeLessThan(WITHIN_MS);
        expect(await recordedTwice(uri, name)).toEqual([]);
      } catch (error) {
        for (const { server } of deployment.servers) console.error(server.output().slice(-3000));
        throw error;
      } finally {
        await deployment.close();
        await drop();
      }
    },
  );
});
