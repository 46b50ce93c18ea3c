// nginx and Caddy with the configurations of deploy/, in front of a real server: what reaches it, and what does not.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { isProgramInstalled } from '../helpers/server-process/programs.ts';
import { freePort, type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const hostOf = (url: string) => new URL(url).host;

interface Proxy {
  readonly program: string;
  readonly isTls: boolean;
  /** Writes the configuration of deploy/ for these servers and this port; returns the arguments of the program. */
  configure(folder: string, site: { content: string; delivery: string; port: number }): readonly string[];
}

const NGINX: Proxy = {
  program: 'nginx',
  isTls: true,
  configure(folder, { content, delivery, port }) {
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    const subject = ['-subj', '/CN=api.example.com', '-newkey', 'rsa:2048', '-nodes'];
    spawnSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate]);
    const site = read('nginx.conf')
      .replace('127.0.0.1:8081', content)
      .replace('127.0.0.1:8082', delivery)
      .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('/etc/ssl/example.com.pem', certificate)
      .replaceAll('/etc/ssl/example.com.key', key);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary}\n${site} }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    return ['-p', folder, '-c', join(folder, 'nginx.conf')];
  },
};

const CADDY: Proxy = {
  program: 'caddy',
  isTls: false,
  configure(folder, { content, delivery, port }) {
    const text = read('Caddyfile')
      .replace(/^\{\n/m, '{\n\tadmin off\n')
      .replace('api.example.com {', `http://api.example.com:${port} {`)
      .replace('cdn.example.com {', `http://cdn.example.com:${port} {`)
      .replace('127.0.0.1:8081', content)
      .replace('127.0.0.1:8082', delivery);
    writeFileSync(join(folder, 'Caddyfile'), text);
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
};

interface Sent {
  readonly host?: 'api.example.com' | 'cdn.example.com';
  /** The name in the request, where it is not that of the connection. */
  readonly asked?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

describe.each([NGINX, CADDY])('behind $program', ({ program, isTls, configure }) => {
  const isInstalled =
    isProgramInstalled(program, `apt-get install ${program}`) &&
    (!isTls || isProgramInstalled('openssl', 'apt-get install openssl'));
  if (!isInstalled) return;

  let workspace: Workspace;
  let server: ServerProcess;
  let folder: string;
  let proxy: ChildProcess;
  let port: number;
  let client: Client;

  const send = ({ host = 'api.example.com', asked = host, method = 'GET', path, headers = {}, body }: Sent) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { ...headers, host: asked },
        agent: false,
      };
      const take = (answer: import('node:http').IncomingMessage) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      };
      const request = isTls
        ? httpsRequest({ ...options, servername: host, rejectUnauthorized: false }, take)
        : httpRequest(options, take);
      request.once('error', reject);
      request.end(body);
    });

  beforeAll(async () => {
    workspace = createWorkspace({
      '1.0/library/files': { fields: {}, settings: { type: 'media', authenticate: ['POST', 'DELETE'] } },
    });
    server = await spawnServer({ cwd: workspace.cwd, env: { CLOISTER_SERVER_TRUST_PROXY: '1' } });
    client = await connectClient(server.url);
    folder = mkdtempSync(join(tmpdir(), 'cloister-proxy-'));
    port = await freePort();
    const site = { content: hostOf(server.url), delivery: hostOf(server.deliveryUrl), port };
    const args = configure(folder, site);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    proxy = spawn(program, [...args], { env, stdio: 'ignore' });
    await vi.waitFor(async () => expect((await send({ path: '/hello' })).status).toBe(200), {
      timeout: 120_000,
    });
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => proxy.once('exit', resolve));
    proxy.kill('SIGTERM');
    await gone;
    await server.stop('SIGKILL');
    workspace.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const authorization = () => ({ authorization: `Bearer ${client.token}` });

  it.each([
    { forwarded: 'for=203.0.113.9' },
    { 'x-forwarded-for': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9', 'x-forwarded-for': '203.0.113.9, 203.0.113.8' },
  ])('the address of a client is the one that the proxy sees, whatever it says: %o', async (headers) => {
    const clientId = Object.keys(headers).join('-');
    const body = JSON.stringify({ clientId, secret: 'a secret of its own' });
    const sent = { ...authorization(), ...headers, 'content-type': 'application/json' };
    expect((await send({ method: 'POST', path: '/api/clients', headers: sent, body })).status).toBe(201);
    const { audit } = (await client.request('GET', '/api/audit')).body;
    expect(audit.at(-1)).toMatchObject({ action: 'client.create', address: '127.0.0.1' });
  });

  it('a file of several megabytes gets in by the API, and out by delivery', async () => {
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(3_000_000, 'a')], { type: 'text/plain' }), 'long.txt');
    const whole = new Response(form);
    const headers = { ...authorization(), 'content-type': whole.headers.get('content-type') ?? '' };
    const body = Buffer.from(await whole.arrayBuffer());
    const { status, text } = await send({ method: 'POST', path: '/1.0/library/files', headers, body });
    expect(status, text).toBe(201);
    const [{ path }] = JSON.parse(text).results;
    const answer = await send({ host: 'cdn.example.com', path: `/${path}` });
    expect([answer.status, answer.text.length]).toEqual([200, 3_000_000]);
  });

  it('a body above every limit is 413', async () => {
    const headers = { ...authorization(), 'content-type': 'application/json', 'content-length': '200000000' };
    const body = Buffer.alloc(200_000_000, ' ');
    const answer = await send({ method: 'POST', path: '/1.0/library/files', headers, body }).catch(String);
    // A proxy may close the connection before it has read what it refuses.
    expect(typeof answer === 'string' ? 413 : answer.status).toBe(413);
  });

  it.each(['/api/recipes', '/%61pi/recipes', '//api/recipes', '/x/../api/recipes', '/token', '/token/'])(
    'nobody reaches %s on delivery, not even with a token',
    async (path) => {
      const answer = await send({ host: 'cdn.example.com', path, headers: authorization() });
      expect([404, 400]).toContain(answer.status);
      expect(answer.text).not.toContain('results');
    },
  );

  it.each(['api.example.com', 'cdn.example.com'] as const)(
    'nobody reads the metrics at %s, not even with a token',
    async (host) => {
      for (const path of ['/metrics', '/metrics/', '//metrics', '/%6Detrics']) {
        const answer = await send({ host, path, headers: authorization() });
        expect([400, 404]).toContain(answer.status);
        expect(answer.text).not.toContain('cloister_');
      }
    },
  );

  it('a request for another name does not reach the server, which would take that name for its own', async () => {
    const { text } = await send({ path: '/hello', asked: 'evil.example' });
    expect(text).not.toContain('Welcome');
  });

  it.each(['POST', 'PUT', 'DELETE'])('%s is no method of delivery', async (method) => {
    const answer = await send({ host: 'cdn.example.com', method, path: '/x', headers: authorization() });
    expect([403, 405]).toContain(answer.status);
  });
});
