// A server in a process of its own whose descriptors can be taken away and given back (Linux), and requests of which each is the
// first that needs a thread or a process of its kind.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { picture } from '../helpers/fixtures/images.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

interface StarvedAnswer {
  readonly name: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

interface Sending {
  readonly to?: 'content' | 'delivery';
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Buffer;
}

/** Pages, patterns and writes that the main thread leaves to others. */
const PAGES = 400;
const LONG_TEXT = 'x'.repeat(4000);
const MODULE = "module.exports.get = (req, res) => { later = 1; res.end('called'); };";

export const FIRST_REQUESTS: Readonly<Record<string, Sending>> = {
  thumbnail: { to: 'delivery', path: '/thumb/picture.png' },
  upload: {
    method: 'POST',
    path: '/1.0/library/pictures',
    type: FORM_TYPE,
    body: formOf([
      // A format whose dimensions are read on a thread.
      { fileName: 'a.tiff', type: 'image/tiff', body: await picture(8, 8, (image) => image.tiff()) },
    ]),
  },
  call: { path: '/1.0/hello' },
  code: { method: 'POST', path: '/1.0/posted/config', type: 'text/plain', body: MODULE },
  query: { path: `/1.0/library/books?count=${PAGES}&fields=${encodeURIComponent('{"text":1}')}` },
  pattern: {
    method: 'POST',
    path: '/1.0/library/words',
    type: 'application/json',
    body: JSON.stringify({ word: `${'ab'.repeat(20_000)}` }),
  },
  write: {
    method: 'POST',
    path: '/1.0/library/notes',
    type: 'application/json',
    body: JSON.stringify(Array.from({ length: 300 }, (_, n) => ({ text: `${LONG_TEXT}${n}` }))),
  },
};

const SPECS = {
  '1.0/library/pictures': { fields: { caption: { type: 'String' } }, settings: { type: 'media' } },
  '1.0/library/books': { fields: { text: { type: 'String' } }, settings: { count: PAGES } },
  '1.0/library/notes': { fields: { text: { type: 'String' } }, settings: {} },
  '1.0/library/words': {
    fields: { word: { type: 'String', validation: { regex: { pattern: '^(a?b?)+$' } } } },
    settings: {},
  },
};

/** Closes what the test inherits: numbers above the limit that are open could not be passed on to any process. */
const WITHOUT_INHERITED = [
  'bash',
  '-c',
  'for n in $(ls /proc/$$/fd); do [ "$n" -gt 2 ] && eval "exec $n>&-"; done; exec "$@"',
  'bash',
];

/** For root no number of processes is too many. Nobody else has this number. */
const ORDINARY_USER = 64_321;
const asUser = (user: number) => [
  ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'],
];

export interface StarvedServer {
  readonly server: ServerProcess;
  /** Sets the limit of descriptors so that `margin` more than now can be opened. */
  limit(margin: number): void;
  /** Sets the limit of processes and threads of the server's user so that `margin` more than now can be started. */
  limitThreads(margin: number): void;
  /** Takes every limit away. */
  release(): void;
  /** Sends one of `FIRST_REQUESTS` over a connection that is open. */
  ask(name: string): Promise<StarvedAnswer>;
  close(): Promise<void>;
}

/** The limit below which `margin` numbers are free: it is about numbers, whatever is open above it. */
function limitWithMargin(open: ReadonlySet<number>, margin: number): number {
  let free = 0;
  let limit = 0;
  for (; free < margin || open.has(limit); limit += 1) if (!open.has(limit)) free += 1;
  return limit;
}

/** Threads of a user: each counts where processes are limited. */
function threadsOf(user: number): number {
  const counts = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return statSync(`/proc/${pid}`).uid === user ? readdirSync(`/proc/${pid}/task`).length : 0;
      } catch {
        // It has ended.
        return 0;
      }
    });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Starts it with documents, a module and a picture in place, and one open connection for each listener. */
export async function startStarvedServer(): Promise<StarvedServer> {
  const user = process.getuid?.() === 0 ? ORDINARY_USER : undefined;
  const before = user === undefined ? [] : asUser(user);
  const workspace = createWorkspace(SPECS, {
    images: { directory: { enabled: true } },
    cache: { enabled: false },
  });
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  };
  write(join(workspace.cwd, 'images/picture.png'), await picture(40, 30, (image) => image.png()));
  write(
    join(workspace.path, 'recipes/thumb.json'),
    JSON.stringify({ recipe: 'thumb', settings: { format: 'png' } }),
  );
  write(join(workspace.path, 'endpoints/1.0/endpoint.hello.js'), MODULE);
  if (user !== undefined) execFileSync('chown', ['-R', String(user), workspace.cwd]);
  const server = await spawnServer({
    cwd: workspace.cwd,
    env: { CLOISTER_LOGGING_LEVEL: 'warn' },
    under: [...WITHOUT_INHERITED, ...before],
  });
  const { token } = await connectClient(server.url);
  const agents = { content: agent(), delivery: agent() };
  const transmit = (name: string, { to = 'content', method = 'GET', path, type, body }: Sending) =>
    new Promise<StarvedAnswer>((resolve, reject) => {
      const { url, deliveryUrl } = server;
      const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) };
      const outgoing = send(
        (to === 'content' ? url : deliveryUrl) + path,
        { method, headers, agent: agents[to] },
        (answer) => {
          let text = '';
          answer.on('data', (chunk) => {
            text += chunk;
          });
          answer.on('error', reject);
          const { statusCode: status = 0, headers: got } = answer;
          answer.on('end', () =>
            resolve({ name, status, retryAfter: got['retry-after'], text: text.slice(0, 300) }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const pid = String(server.process.pid);
  // Only the user of a process may do this, unless root may do everything.
  const setResource = (name: 'nofile' | 'nproc', limit: string | number) => {
    const [program = '', ...args] = [...before, 'prlimit', '--pid', pid, `--${name}=${limit}:`];
    execFileSync(program, args);
  };
  const books = JSON.stringify(Array.from({ length: PAGES }, () => ({ text: LONG_TEXT.slice(0, 900) })));
  await transmit('books', {
    method: 'POST',
    path: '/1.0/library/books',
    type: 'application/json',
    body: books,
  });
  await transmit('hello', { to: 'delivery', path: '/hello' });
  return {
    server,
    limit: (margin) =>
      setResource('nofile', limitWithMargin(new Set(readdirSync(`/proc/${pid}/fd`).map(Number)), margin)),
    limitThreads: (margin) => setResource('nproc', threadsOf(user ?? process.getuid?.() ?? 0) + margin),
    release() {
      setResource('nofile', 4096);
      setResource('nproc', 4096);
    },
    ask: (name) => transmit(name, FIRST_REQUESTS[name] as Sending),
    async close() {
      for (const each of Object.values(agents)) each.destroy();
      await server.stop();
      workspace.remove();
    },
  };
}

const agent = () => new Agent({ keepAlive: true, maxSockets: 1 });
