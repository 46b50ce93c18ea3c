import { setGlobalProxyFromEnv } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { sendRequest } from '../../../src/lib/egress/http-request.ts';
import { IDENTITY } from '../../capabilities/fetch/certificate.ts';
import {
  benchFor,
  fetchBench,
  fetchGrant,
  namesOf,
  serve,
  serveTls,
} from '../../capabilities/fetch/servers.ts';

/** A server that does to each connection what the test wants. */
async function raw(handle: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const closed: Promise<void>[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    socket.on('error', () => undefined);
    handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { port, origin: `http://127.0.0.1:${port}`, requests: [], closed };
}

const once = (socket: Socket, answer: string) =>
  socket.once('data', () => {
    socket.write(answer);
  });

test('a request to a silent server ends in time, and its connection is closed', async () => {
  const server = await raw((socket) => socket.resume());
  const { ask, failures } = benchFor(server, { timeoutMs: 50 });
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: server.origin, reason: 'timeout' }]);
  await Promise.all(server.closed);
});

test('response headers have a time limit of their own', async () => {
  const server = await raw((socket) => socket.resume());
  const sent = sendRequest(
    { url: new URL(server.origin), method: 'GET', headers: [], body: undefined },
    {
      addresses: [{ address: '127.0.0.1', family: 4 }],
      signal: new AbortController().signal,
      headersMs: 50,
    },
  );
  await expect(sent).rejects.toMatchObject({ reason: 'timeout' });
  await Promise.all(server.closed);
});

test.each([
  ['headers that never end', 'HTTP/1.1 200 OK\r\nx: y'],
  ['a body that never ends', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx'],
  ['interim answers only', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
])('the time limit of the grant ends a request: %s', async (_name, answer) => {
  const server = await raw((socket) => once(socket, answer));
  const { ask, failures } = benchFor(server, { timeoutMs: 100 });
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'timeout' }]);
  await Promise.all(server.closed);
});

test('the end of the request ends a fetch at once', async () => {
  const server = await raw((socket) => once(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx'));
  const { ask, failures } = benchFor(server);
  const controller = new AbortController();
  const answer = ask({ url: server.origin }, controller.signal);
  setImmediate(() => controller.abort());
  expect(await answer).toBe('ABORTED');
  expect(failures).toEqual([]);
  await Promise.all(server.closed);
});

test.each([
  ['nothing', ''],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a header that breaks', 'HTTP/1.1 200 OK\r\nx\0y: 1\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['headers beyond 16 KB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`],
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
])('a response of %s is a failure', async (_name, answer) => {
  const server = await raw((socket) => socket.once('data', () => socket.end(answer)));
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'connection' }]);
});

test('a response body that breaks off is a failure', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf';
  const server = await raw((socket) => socket.once('data', () => socket.end(answer)));
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'broken' }]);
});

test('a refused connection is a failure like any other', async () => {
  const server = await raw(() => undefined);
  const gone = `http://127.0.0.1:1`;
  const { ask, failures } = fetchBench([fetchGrant(gone)], { allow: ['127.0.0.1:1'] });
  expect(await ask({ url: gone })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: gone, reason: 'connection' }]);
  expect(server.closed).toEqual([]);
});

test('no two fetches share a connection', async () => {
  const ports = new Set<number | undefined>();
  const server = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const { ask } = benchFor(server);
  for (let index = 0; index < 3; index += 1) await ask({ url: server.origin });
  expect(ports.size).toBe(3);
});

test('TLS holds the certificate against the name, whatever the address', async () => {
  const port = await serveTls(IDENTITY, (request, response) => response.end(request.headers.host));
  const names = namesOf({ 'api.example.test': ['127.0.0.1'], 'other.example.test': ['127.0.0.1'] });
  const [right, wrong] = ['api', 'other'].map((name) => `https://${name}.example.test:${port}`);
  const { ask, failures } = fetchBench([fetchGrant(right!), fetchGrant(wrong!)], {
    allow: [`127.0.0.1:${port}`],
    names,
  });
  expect(await ask({ url: right! })).toBe('FETCH_FAILED');
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, IDENTITY.cert]);
  onTestFinished(() => setDefaultCACertificates(known));
  expect((await ask({ url: right! })).body).toBe(`api.example.test:${port}`);
  expect(await ask({ url: wrong! })).toBe('FETCH_FAILED');
  expect(failures.map(({ reason }) => reason)).toEqual(['connection', 'connection']);
});

test('no proxy of the environment is asked', async () => {
  const server = await serve((_request, response) => response.end('direct'));
  const restore = setGlobalProxyFromEnv({
    HTTP_PROXY: 'http://127.0.0.1:1',
    http_proxy: 'http://127.0.0.1:1',
  });
  onTestFinished(() => restore());
  expect((await benchFor(server).ask({ url: server.origin })).body).toBe('direct');
});

test('the environment cannot switch the check of certificates off', async () => {
  const port = await serveTls(IDENTITY, (_request, response) => response.end());
  const origin = `https://api.example.test:${port}`;
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  onTestFinished(() => {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  });
  const names = namesOf({ 'api.example.test': ['127.0.0.1'] });
  const { ask } = fetchBench([fetchGrant(origin)], { allow: [`127.0.0.1:${port}`], names });
  expect(await ask({ url: origin })).toBe('FETCH_FAILED');
});

const TEXT = 'all work and no play '.repeat(100);

const answering = (body: Buffer, encoding: string | undefined) =>
  serve((_request, response) => {
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.end(body);
  });

test.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['GZIP', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', Buffer.from(TEXT)],
])('a response body is read: %s', async (encoding, body) => {
  const server = await answering(body, encoding);
  const answer = await benchFor(server).ask({ url: server.origin });
  expect(answer.body).toBe(TEXT);
  const names = answer.headers.map(([name]: [string]) => name);
  expect(names).not.toContain('content-encoding');
  expect(names).not.toContain('content-length');
});

test.each([
  ['compress', Buffer.from('x')],
  ['gzip, gzip', gzipSync(gzipSync('x'))],
  ['constructor', Buffer.from('x')],
])('a response body in the encoding %j is not read', async (encoding, body) => {
  const server = await answering(body, encoding);
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: server.origin, reason: 'encoding' }]);
});

test.each([
  ['no gzip', Buffer.from('this is no gzip')],
  ['half a gzip', gzipSync(TEXT).subarray(0, 30)],
])('a response body of %s sent as gzip is a failure', async (_name, body) => {
  const server = await answering(body, 'gzip');
  const { ask, failures } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'broken' }]);
});

test('a response body may have exactly as many bytes as its limit', async () => {
  const server = await answering(Buffer.alloc(1000, 'x'), undefined);
  expect((await benchFor(server, { maxBytes: 1000 }).ask({ url: server.origin })).body).toHaveLength(1000);
  expect(await benchFor(server, { maxBytes: 999 }).ask({ url: server.origin })).toBe('FETCH_FAILED');
});

const ZEROS = Buffer.alloc(200_000_000);

test.each([
  ['gzip', gzipSync(ZEROS, { level: 1 })],
  ['br', brotliCompressSync(ZEROS, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['zstd', zstdCompressSync(ZEROS)],
])('a %s bomb in a response body ends at the limit', async (encoding, bomb) => {
  const server = await answering(bomb, encoding);
  const { ask, failures } = benchFor(server, { maxBytes: 1_000_000 });
  const before = process.memoryUsage.rss();
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toEqual([{ origin: server.origin, reason: 'too-large' }]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});

test('an endless compressed response body without content is limited too', async () => {
  const empty = gzipSync('');
  const server = await serve((_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(Buffer.concat(Array.from({ length: 10_000 }, () => empty)));
  });
  const { ask, failures } = benchFor(server, { maxBytes: 10_000 });
  expect(await ask({ url: server.origin })).toBe('FETCH_FAILED');
  expect(failures).toMatchObject([{ reason: 'too-large' }]);
});

test('a response body in many small chunks arrives complete', async () => {
  const server = await serve(async (_request, response) => {
    for (let index = 0; index < 20_000; index += 1) response.write(String(index % 10));
    response.end();
  });
  const { body } = await benchFor(server).ask({ url: server.origin });
  expect(body).toBe('0123456789'.repeat(2000));
});
