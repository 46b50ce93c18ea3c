// What an operator sees of the commands: real processes, their lines, exit codes and times.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOOKS, LIBRARY, PEOPLE } from '../helpers/fixtures/library.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { ADMIN, type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { loopMs, pollWithin } from '../helpers/server-process/timing.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
let running: ServerProcess[];

beforeEach(() => {
  workspace = createWorkspace(LIBRARY);
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.stop('SIGKILL');
  workspace.remove();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await spawnServer({ cwd: workspace.cwd, env });
  running.push(server);
  return server;
}

interface Ended {
  readonly code: number;
  readonly lines: readonly string[];
}

function cloister(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: workspace.cwd, env: { PATH: process.env['PATH'] } };
    execFile(process.execPath, [join(ROOT, 'src/cloister.js'), ...args], options, (error, stdout, stderr) => {
      const lines = (stdout + stderr).split('\n').filter((line) => line !== '');
      resolve({ code: error === null ? 0 : Number(error.code), lines });
    });
  });
}

describe('the package', () => {
  it('starts by its scripts, and its command is the built entry', () => {
    const { scripts, bin, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const start = 'node --max-semi-space-size=4 src/cloister.js start';
    expect(scripts).toMatchObject({ start, cloister: 'node src/cloister.js' });
    expect([bin.cloister, engines.node]).toEqual(['dist/src/cloister.js', '>=26']);
  });
});

describe('a start', () => {
  it('ends tokens when the secret of the environment has changed, and only then', async () => {
    const env = { CLOISTER_ADMIN_ID: 'boss', CLOISTER_ADMIN_SECRET: 'the first secret' };
    const tokenOf = async (server: ServerProcess, secret: string) =>
      (await connectClient(server.url, { clientId: 'boss', secret })).token;
    const status = async (server: ServerProcess, token: string) =>
      (await fetch(`${server.url}/api/config`, { headers: { authorization: `Bearer ${token}` } })).status;
    const first = await start(env);
    const token = await tokenOf(first, env.CLOISTER_ADMIN_SECRET);
    await first.stop();
    const second = await start(env);
    expect(await status(second, token)).toBe(200);
    await second.stop();
    const third = await start({ ...env, CLOISTER_ADMIN_SECRET: 'another secret' });
    expect(await status(third, token)).toBe(401);
    expect(await status(third, await tokenOf(third, 'another secret'))).toBe(200);
    await expect(tokenOf(third, env.CLOISTER_ADMIN_SECRET)).rejects.toThrow('401');
  });
});

describe('SIGTERM', () => {
  it('finishes what is in flight and exits with 0', async () => {
    // Who waited for this time to pass would outlive the test.
    const server = await start({ CLOISTER_SERVER_SHUTDOWN_SECONDS: '600' });
    const { request } = await connectClient(server.url);
    const rows = Array.from({ length: 5000 }, (_, n) => ({ name: `P${n}` }));
    const writing = request('POST', '/1.0/library/people', rows);
    const reading = request('GET', '/1.0/library/people');
    await reading;
    const ended = server.stop();
    expect((await writing).status).toBe(200);
    expect(await ended).toBe(0);
  });

  it('exits with 0 within `server.shutdownSeconds`, whoever hangs on', async () => {
    const server = await start({ CLOISTER_SERVER_SHUTDOWN_SECONDS: '1' });
    const { hostname, port } = new URL(server.url);
    const socket = openSocket(Number(port), hostname);
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    const { token } = await connectClient(server.url);
    socket.write(
      `POST /1.0/library/people HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await fetch(`${server.url}/health`);
    const took = await loopMs(async () => expect(await server.stop()).toBe(0));
    // Without the setting it would be ten seconds.
    expect(took).toBeLessThan(8000);
    socket.destroy();
  });
});

describe('clients', () => {
  it('can be added while the server runs, and end within 5 seconds of their removal', async () => {
    const server = await start();
    const added = await cloister('clients', 'add', '--id', 'app');
    expect(added).toEqual({
      code: 0,
      lines: [
        'client id: app',
        expect.stringMatching(/^client secret: \S{20,}$/),
        expect.stringMatching(/^client may: read .* and write every collection;/),
      ],
    });
    const secret = added.lines[1]?.slice('client secret: '.length) ?? '';
    const { request } = await connectClient(server.url, { clientId: 'app', secret });
    expect((await request('GET', '/1.0/library/books')).status).toBe(200);
    expect((await cloister('clients', 'remove', '--id', 'app')).code).toBe(0);
    await pollWithin(5000, async () => expect((await request('GET', '/1.0/library/books')).status).toBe(401));
    await expect(connectClient(server.url, { clientId: 'app', secret })).rejects.toThrow('401');
  });

  it('that exist are refused in one line; a list has no secrets', async () => {
    await cloister('clients', 'add', '--id', 'boss', '--admin', '--secret', 'a secret of mine');
    const again = await cloister('clients', 'add', '--id', 'boss');
    expect(again).toEqual({ code: 1, lines: [expect.stringContaining('exists')] });
    await cloister('clients', 'add', '--id', 'app');
    expect(await cloister('clients', 'list')).toEqual({ code: 0, lines: ['app\tuser', 'boss\tadmin'] });
    const server = await start();
    const { request } = await connectClient(server.url, { clientId: 'boss', secret: 'a secret of mine' });
    expect((await request('GET', '/api/clients')).body.results).toHaveLength(3);
    expect(server.output()).not.toContain(ADMIN.secret);
  });
});

describe('check', () => {
  const place = (path: string, text: string) => {
    const file = join(workspace.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const PLAIN = '{"fields":{"a":{}},"settings":{}}';

  it('has one line when all is well', async () => {
    rmSync(join(workspace.path, 'collections'), { recursive: true });
    place('collections/1.0/library/collection.plain.json', PLAIN);
    expect(await cloister('check')).toEqual({ code: 0, lines: ['all is well'] });
  });

  it('names file and line of every problem', async () => {
    place('config.json', '{\n "limits": {\n  "batch": 0\n }\n}');
    place('collections/1.0/library/collection.broken.json', '{\n "fields": {,}\n}');
    place(
      'collections/1.0/library/collection.wrong.json',
      '{\n "fields": {\n  "a": {\n   "type": "Text" },\n  "b": { "limit": 5 }\n },\n "settings": {}\n}',
    );
    for (const version of ['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media', 'favicon.ico']) {
      place(`collections/${version}/library/collection.x.json`, PLAIN);
    }
    place('collections/1.0/admin/collection.x.json', PLAIN);
    place('collections/1.0/library/collection.system.x.json', PLAIN);
    place('collections/1.0/library/collection.BOOKS.json', PLAIN);
    const { code, lines } = await cloister('check');
    expect(code).toBe(1);
    const text = lines.join('\n');
    const files = 'workspace/collections';
    for (const start of [
      'workspace/config.json:3: limits.batch must be 1 or more',
      `${files}/1.0/library/collection.broken.json:2: is not valid JSON`,
      `${files}/1.0/library/collection.wrong.json:3: a: \`Text\` is not a type`,
      `${files}/1.0/library/collection.wrong.json:5: b: \`limit\` was removed: use \`validation.maxLength\``,
      ...['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media', 'favicon.ico'].map(
        (version) => `${files}/${version}/library/collection.x.json:1: version: \`${version}\` is reserved`,
      ),
      `${files}/1.0/admin/collection.x.json:1: database: \`admin\` is reserved`,
      `${files}/1.0/library/collection.system.x.json:1: collection: `,
      'differs only by case',
    ]) {
      expect(text).toContain(start);
    }
  });

  it('warns of what is allowed and odd', async () => {
    place('collections/1.0/archive/collection.books.json', JSON.stringify(BOOKS));
    place('collections/1.0/archive/collection.people.json', JSON.stringify(PEOPLE));
    place(
      'collections/1.0/library/collection.odd.json',
      JSON.stringify({
        fields: { a: { validation: { regex: { pattern: '(?=x)y' } } }, b: {} },
        settings: {
          fieldLimiters: { a: 1, b: 0 },
          index: [{ keys: { a: 'text' } }, { keys: { b: 1 }, options: { expireAfterSeconds: 5 } }],
        },
      }),
    );
    const { code, lines } = await cloister('check');
    expect(code).toBe(0);
    const text = lines.join('\n');
    expect(text).toContain('shares its documents with /1.0/archive/books');
    for (const word of ['linear-time', 'expireAfterSeconds', 'only 1 and -1', 'fieldLimiters'])
      expect(text).toContain(word);
    expect(
      lines.slice(0, -1).every((line) => /^warning: workspace\/\S+\.json:\d+: /.test(line)),
      text,
    ).toBe(true);
    expect(lines.at(-1)).toMatch(/^no errors, \d+ warnings$/);
  });
});
