// What an operator sees and does: status, audit log, processes that die, the switch for everything.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";
const SLOW = "module.exports.get = (req, res) => { setTimeout(() => res.end('slow'), 4000); };";
/** Time for what waits on purpose, on a machine that stalls besides. */
const LONG = { wallMs: 30_000 };
const ENVIRONMENT =
  'module.exports.get = (req, res) => res.json([new Date(0).toString(), (1e6).toLocaleString(), typeof process]);';
const STUCK = 'module.exports.get = () => { Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); };';
const SOON = { interval: 20 };

describe('an admin', () => {
  let server: EndpointServer;

  beforeAll(async () => {
    server = await startEndpointServer();
    await server.endpoint('hello', HELLO);
  });

  afterAll(() => server.close());

  it('sees the isolation level in /api/status, others do not', async () => {
    const sandbox = async () => (await server.get('/api/status')).body.sandbox;
    server.app.startSelfTest();
    await expect.poll(async () => (await sandbox()).selfTest.state, SOON).toBe('passed');
    const { level, missing, hosts, processes, ...rest } = await sandbox();
    expect([Object.keys(rest), level >= 1 && level <= 3]).toEqual([['selfTest'], true]);
    expect(processes).toHaveLength(hosts.running);
    // Nothing is missing where the highest level is reached.
    expect(missing.length > 0).toBe(level < 3);
    expect(hosts).toBeDefined();
    const token = await server.userToken('no-admin');
    const answer = await server.get('/api/status', { token });
    expect([answer.status, 'sandbox' in answer.body]).toEqual([200, false]);
  });

  it('finds every change in the audit log, chained', async () => {
    await server.putPolicy('hello', { version: 1, limits: { cpuMs: 100 } });
    await server.post('hello', `${HELLO}\n`);
    await server.call('POST', '/1.0/hello/versions/1/rollback');
    await server.call('POST', '/1.0/hello/suspend');
    await server.call('DELETE', '/1.0/hello/suspend');
    await server.post('hello', 'const a = ;');
    await server.call('DELETE', '/1.0/hello/config');
    const { audit } = (await server.get('/api/audit')).body;
    const about = audit.filter(({ target }: { target: string }) => target === '/1.0/hello');
    expect(about.map(({ action, clientId }: Record<string, string>) => [action, clientId])).toEqual(
      ['create', 'policy', 'replace', 'rollback', 'suspend', 'resume', 'remove'].map((action) => [
        `endpoint.${action}`,
        'admin',
      ]),
    );
    const [created, , replaced, back] = about;
    expect([replaced.before, back.after]).toEqual([created.after, created.after]);
    for (const [index, entry] of audit.entries())
      if (index > 0) expect(entry.previous).toBe(audit[index - 1].hash);
    const rest = (await server.get(`/api/audit?after=${created.seq}`)).body.audit;
    expect(rest[0].seq).toBe(created.seq + 1);
    expect(JSON.stringify(audit)).not.toContain('module.exports');
    expect((await server.get('/api/audit', { token: null })).status).toBe(401);
  });
});

describe('a server process', () => {
  let workspace: Workspace;
  let server: ServerProcess;
  let client: Client;

  async function start(endpoints: Readonly<Record<string, string>>, env = {}): Promise<void> {
    workspace = createWorkspace(LIBRARY);
    server = await spawnServer({ cwd: workspace.cwd, env });
    client = await connectClient(server.url);
    for (const [name, body] of Object.entries(endpoints)) {
      const posted = await fetch(`${server.url}/1.0/${name}/config`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/plain' },
        body,
      });
      expect(posted.status).toBe(200);
    }
  }

  afterEach(async () => {
    await server.stop('SIGKILL');
    workspace.remove();
  });

  const call = async (name: string) => {
    const answer = await fetch(`${server.url}/1.0/${name}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    return { status: answer.status, text: await answer.text() };
  };

  /** Processes that descend from one, by their command lines. */
  function descendants(root: number): readonly { readonly pid: number; readonly command: string }[] {
    const parents = new Map<number, number>();
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        if (fields[0] !== 'Z') parents.set(Number(name), Number(fields[1]));
      } catch {
        // It ended meanwhile.
      }
    }
    const below = (pid: number): readonly number[] =>
      [...parents].filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
    return below(root).flatMap((pid) => {
      try {
        return { pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') };
      } catch {
        return [];
      }
    });
  }

  const hosts = () =>
    descendants(server.process.pid ?? 0).filter(({ command }) => command.includes('sandbox/host.js'));

  /** Processes of bubblewrap that have not started their host yet. */
  const starting = () =>
    hosts().filter(({ pid, command }) => /^\S*bwrap\b/.test(command) && descendants(pid).length === 0);

  /** Undefined for a process that has ended meanwhile: the self-test in the background starts and ends some. */
  const environmentOf = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8');
    } catch {
      return undefined;
    }
  };

  const alive = (pids: readonly number[]) =>
    pids.filter((pid) => {
      try {
        return !/^\d+ .*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    });

  function killHosts(): void {
    for (const { pid } of hosts()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // One that ran it has taken it along.
      }
    }
  }

  it('answers 502, or again, when a host is killed during a call', async () => {
    await start({ slow: SLOW, hello: HELLO });
    await client.request('PUT', '/1.0/slow/policy', { version: 1, limits: LONG });
    expect((await call('hello')).text).toBe('hello');
    const pending = call('slow');
    await expect.poll(() => hosts().length, SOON).toBeGreaterThan(0);
    killHosts();
    const { status, text } = await pending;
    if (status === 502) expect(JSON.parse(text).errors[0].code).toBe('ENDPOINT_CRASHED');
    else expect([status, text]).toEqual([200, 'slow']);
    expect((await call('hello')).text).toBe('hello');
  });

  it('answers 502, and does nothing twice, when a host is killed after a call has acted', async () => {
    await start({
      acting: `module.exports.get = async (req, res) => {
        await Model('books').create({ title: 'once' });
        setTimeout(() => res.end('done'), 25_000);
      };`,
    });
    const grants = { collections: [{ name: '1.0/library/books', actions: ['create'] }] };
    await client.request('PUT', '/1.0/acting/policy', { version: 1, limits: LONG, grants });
    const pending = call('acting');
    const count = async () =>
      (await client.request('GET', '/1.0/library/books/count')).body.metadata.totalCount;
    await expect.poll(count, SOON).toBe(1);
    killHosts();
    const { status, text } = await pending;
    expect([status, JSON.parse(text).errors[0].code]).toEqual([502, 'ENDPOINT_CRASHED']);
    expect(await count()).toBe(1);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'that ends by %s leaves no host behind, stuck ones included',
    async (signal) => {
      await start({ stuck: STUCK, hello: HELLO }, { CLOISTER_SERVER_SHUTDOWN_SECONDS: '1' });
      await call('hello');
      const stuck = call('stuck').catch(() => undefined);
      await expect.poll(() => hosts().length, SOON).toBeGreaterThan(0);
      // Bubblewrap forgets its child if it is killed while it makes the namespaces: that holds no code, and waits for ever.
      await expect.poll(starting, SOON).toEqual([]);
      const pids = descendants(server.process.pid ?? 0).map(({ pid }) => pid);
      await server.stop(signal);
      await expect.poll(() => alive(pids), SOON).toEqual([]);
      await stuck;
    },
  );

  it('gives its hosts no environment, and posted code English and UTC', async () => {
    await start({ env: ENVIRONMENT }, { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', SECRET_OF_MINE: 'x' });
    expect(JSON.parse((await call('env')).text)).toEqual([
      'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
      '1,000,000',
      'undefined',
    ]);
    const environments = hosts()
      .map(({ pid }) => environmentOf(pid))
      .filter((text) => text !== undefined);
    expect(environments.length).toBeGreaterThan(0);
    for (const text of environments) {
      const entries = text.split('\0').filter(Boolean);
      expect(entries.filter((entry) => !/^(PWD=\/|LANG=|LC_ALL=|TZ=UTC)/.test(entry))).toEqual([]);
    }
  });

  it('is ready soon, its self-test in the background', async () => {
    await start({ hello: HELLO });
    expect(server.output()).not.toMatch(/self-test of the sandbox failed/);
    await expect.poll(() => server.output(), SOON).toMatch(/sandbox self-test passed/);
  });

  it('with `sandbox.enabled: false` answers 503 for calls and uploads, and starts no process', async () => {
    workspace = createWorkspace(LIBRARY);
    server = await spawnServer({ cwd: workspace.cwd, env: { CLOISTER_SANDBOX_ENABLED: 'false' } });
    client = await connectClient(server.url);
    const posted = await fetch(`${server.url}/1.0/hello/config`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/plain' },
      body: HELLO,
    });
    expect([posted.status, posted.headers.has('retry-after')]).toEqual([503, true]);
    expect((await client.request('GET', '/1.0/library/books')).status).toBe(200);
    expect(hosts()).toEqual([]);
  });
});
