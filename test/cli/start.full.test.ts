import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logUnhandledRejections } from '../../src/cli/start.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

let cwd: string;
let children: ChildProcess[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-start-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
});

interface Started {
  readonly child: ChildProcess;
  /** All lines until the server was ready or gone. */
  readonly lines: readonly string[];
  readonly ended: Promise<number | null>;
  /** All that it has printed so far. */
  output(): string;
}

/** What a start prints when there is nothing to say. */
const READY = [expect.stringMatching(/^content API ready at/), expect.stringMatching(/^delivery ready at/)];
const ANY_PORT = ['--delivery-port', '0'];

function start(args: readonly string[] = [], env: object = {}, ports = ANY_PORT): Promise<Started> {
  const { PATH } = process.env;
  const child = spawn(
    process.execPath,
    [join(ROOT, 'src/cloister.js'), 'start', '--port', '0', ...ports, ...args],
    {
      cwd,
      env: { PATH, CLOISTER_SERVER_HOST: '127.0.0.1', ...env },
    },
  );
  children.push(child);
  const last = args.includes('content') ? 'content API' : 'delivery';
  const isReady = new RegExp(`^${last} ready at .*\\n|delivery is off`, 'm');
  let text = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return new Promise((resolve) => {
    const settle = () => resolve({ child, lines: text.trim().split('\n'), ended, output: () => text });
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      if (isReady.test(text)) settle();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(settle);
  });
}

function stop({ child, ended }: Started, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal);
  return ended;
}

const urlIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /^content API ready at (http:\S+)$/.exec(line)?.[1] ?? []).at(-1) ?? '';

describe('the start command', () => {
  it('shows the first admin once and never again', async () => {
    const first = await start();
    const [made, id, secret, exportId, exportSecret, ready] = first.lines;
    expect(made).toBe(`created an empty workspace: ${join(cwd, 'workspace')}`);
    expect(id).toMatch(/^client id: \S+$/);
    expect(secret).toMatch(/^client secret: \S{20,}$/);
    expect(exportId).toBe(`export CLOISTER_ADMIN_ID=${id?.slice('client id: '.length)}`);
    expect(exportSecret).toBe(`export CLOISTER_ADMIN_SECRET=${secret?.slice('client secret: '.length)}`);
    expect(ready).toMatch(/^content API ready at http:/);
    expect(await stop(first)).toBe(0);

    const second = await start();
    expect(second.lines).toEqual(READY);
    expect(await stop(second, 'SIGINT')).toBe(0);
  });

  it('lets the admin of the environment in and prints no secret', async () => {
    const admin = { CLOISTER_ADMIN_ID: 'boss', CLOISTER_ADMIN_SECRET: 'a secret from outside' };
    const started = await start([], admin);
    expect(started.lines.join('\n')).not.toMatch(/secret/);
    const answer = await fetch(`${urlIn(started.lines)}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: 'boss', secret: 'a secret from outside' }),
    });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    expect(await stop(started)).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'logs that it stops after a %s, and when it has',
    async (signal) => {
      const started = await start();
      expect(await stop(started, signal)).toBe(0);
      const last = `"signal":"${signal}","shutdownSeconds":10,"msg":"stopping: .*\\n.*"msg":"stopped"\\}\\n$`;
      expect(started.output()).toMatch(new RegExp(last));
    },
  );

  it('answers as soon as it says that it is ready', async () => {
    const started = await start();
    const answer = await fetch(`${urlIn(started.lines)}/health`);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    await stop(started);
  });

  it('keeps data and workspace where it was told to', async () => {
    const started = await start(['--workspace', 'site'], { CLOISTER_DATABASE_SQLITE_PATH: 'kept/here' });
    expect(existsSync(join(cwd, 'site'))).toBe(true);
    expect(existsSync(join(cwd, 'kept/here'))).toBe(true);
    expect(existsSync(join(cwd, 'workspace'))).toBe(false);
    await stop(started);
  });

  it('names the address that is taken', async () => {
    const taken = await new Promise<Server>((resolve) => {
      const server: Server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = taken.address() as { port: number };
    const { lines, ended } = await start(['--port', String(port)]);
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toBe(`cloister: cannot listen on 127.0.0.1:${port}: another process listens there`);
    await new Promise((resolve) => taken.close(resolve));
  });

  it('serves one of both listeners where it is told to, and says which are on all interfaces', async () => {
    const delivery = await start(['--only', 'delivery']);
    expect(delivery.lines.filter((line) => line.includes('ready at'))).toEqual([
      expect.stringMatching(/^delivery ready at http:\S+, on all interfaces$/),
    ]);
    await stop(delivery);
    const content = await start(['--only', 'content']);
    expect(content.lines.filter((line) => line.includes('ready at'))).toEqual([
      expect.stringMatching(/^content API ready at http:\S+:\d+$/),
    ]);
    await stop(content);
  });

  it('goes on without delivery where nobody chose its port, which is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      // Whoever else has it has taken it just as well.
      taken.once('error', () => resolve()).listen(8082, '127.0.0.1', () => resolve());
    });
    const started = await start([], { CLOISTER_DELIVERY_HOST: '127.0.0.1' }, []);
    await expect
      .poll(started.output)
      .toContain('cannot listen on 127.0.0.1:8082: another process listens there: delivery is off');
    expect((await fetch(`${urlIn(started.lines)}/hello`)).status).toBe(200);
    await stop(started);
    const env = { CLOISTER_DELIVERY_HOST: '127.0.0.1', CLOISTER_DELIVERY_PORT: '8082' };
    const refused = await start([], env, []);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('cannot listen on 127.0.0.1:8082: another process listens there\n');
    await new Promise((resolve) => taken.close(resolve));
  });

  it('says in one line who has the data folder, until that process is gone, however', async () => {
    const first = await start();
    const second = await start();
    expect(await second.ended).toBe(1);
    expect(second.lines).toEqual([
      expect.stringMatching(
        new RegExp(
          `^cloister: could not start: another server has the data folder \\S+: process ${first.child.pid} on `,
        ),
      ),
    ]);
    await stop(first, 'SIGKILL');
    const third = await start();
    expect(third.lines).toEqual(READY);
    expect(await stop(third)).toBe(0);
  });

  it('serves without its database, and tells nobody how it is reached', async () => {
    const uri = 'mongodb://someone:a-password@127.0.0.1:1/site';
    const started = await start([], {
      CLOISTER_DATABASE_ENGINE: 'mongodb',
      CLOISTER_DATABASE_MONGODB_URI: uri,
    });
    const url = urlIn(started.lines);
    const statuses = await Promise.all(
      ['/hello', '/health'].map(async (path) => (await fetch(url + path)).status),
    );
    expect(statuses).toEqual([200, 503]);
    expect(started.lines.join('\n')).not.toMatch(/client id|client secret/);
    expect(await stop(started)).toBe(0);
    expect(started.output()).not.toMatch(/a-password|someone/);
  });

  it('says why it could not start', async () => {
    writeFileSync(join(cwd, 'data'), 'a file where a folder should be');
    const { lines, ended } = await start();
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toMatch(/^cloister: could not start: /);
  });
});

describe('the files of the sandbox self-test', () => {
  let TMPDIR: string;
  beforeEach(() => {
    TMPDIR = join(cwd, 'tmp');
    mkdirSync(TMPDIR);
  });
  const left = () => readdirSync(TMPDIR).length;

  it.each(['SIGTERM', 'SIGINT'] as const)('are gone after a %s in the midst of it', async (signal) => {
    const started = await start([], { TMPDIR });
    await expect.poll(left, { interval: 5 }).toBe(1);
    expect(await stop(started, signal)).toBe(0);
    expect(left()).toBe(0);
  });

  it('are gone after the second start, when the first was killed in the midst of it', async () => {
    const killed = await start([], { TMPDIR });
    await expect.poll(left, { interval: 5 }).toBe(1);
    await stop(killed, 'SIGKILL');
    expect(left()).toBe(1);
    const second = await start([], { TMPDIR });
    await expect.poll(second.output).toContain('sandbox self-test passed');
    expect(left()).toBe(0);
    await stop(second);
  });
});

/** Of util-linux: gives a command a pseudo terminal, and shows here what it shows there. */
const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;
if (!hasScript)
  console.warn('\n*** this machine has no script of util-linux: the log at a terminal is not tested ***\n');

describe.runIf(hasScript)('the start command at a terminal', () => {
  /** Ends with Ctrl-C as soon as the log has told of the isolation layers. */
  async function atTerminal(env: Readonly<Record<string, string>>): Promise<string> {
    const command = `exec ${process.execPath} ${join(ROOT, 'src/cloister.js')} start --port 0 --delivery-port 0`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color', CLOISTER_SERVER_HOST: '127.0.0.1', ...env },
    });
    children.push(child);
    let shown = '';
    let asked = false;
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (asked || !/sandbox self-test passed[^\n]*\n/.test(shown)) return;
      asked = true;
      child.stdin.write('\u0003');
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, shown).toBe(0);
    return shown;
  }
  const LINE = /^\d\d:\d\d:\d\d\.\d{3} INFO {2}sandbox self-test passed sandboxLevel=\d /m;

  it('the log is for people, in colours, and the first lines are as ever', async () => {
    const shown = await atTerminal({});
    expect(shown).toContain('\u001b[32mINFO');
    const text = stripVTControlCharacters(shown).replaceAll('\r\n', '\n');
    expect(text).toMatch(LINE);
    expect(text).toMatch(/^client id: \S+\nclient secret: \S+\nexport CLOISTER_ADMIN_ID=/m);
  });

  it('the log has no colours where nobody wants them', async () => {
    const plain = await atTerminal({ NO_COLOR: '1' });
    expect(plain).not.toContain('\u001b');
    expect(plain).toMatch(LINE);
  });

  it('the log is JSON where that is configured', async () => {
    const json = await atTerminal({ CLOISTER_LOGGING_FORMAT: 'json' });
    const line = json.split('\r\n').find((text) => text.includes('sandbox self-test'));
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 30, msg: 'sandbox self-test passed' });
  });
});

it('an unhandled promise rejection of the server is logged', () => {
  const source = new EventEmitter();
  const records: unknown[] = [];
  logUnhandledRejections(source, { error: (fields, message) => records.push([fields, message]) });
  const reason = new Error('lost');
  expect(source.emit('unhandledRejection', reason)).toBe(true);
  expect(records).toEqual([[{ err: reason }, 'unhandled promise rejection']]);
});
