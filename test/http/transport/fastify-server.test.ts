import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it, test } from 'vitest';
import { JSON_TYPE, passThrough, sendJson, sendText } from '../../../src/http/core/reply.ts';
import type { HttpConnection } from '../../../src/http/transport/connection.ts';
import { createConnectionTracker } from '../../../src/http/transport/connection-tracker.ts';
import {
  createCommonHeaders,
  createNodeServer,
  createOnRequest,
  createOnSend,
} from '../../../src/http/transport/fastify-server.ts';
import { createByteQuota } from '../../../src/lib/async/concurrency.ts';
import { startApp } from '../../helpers/app/app.ts';
import { type BareServer, bareServer, type LogRecord } from '../bare-fastify-server.ts';
import { closed, received } from './socket-server.ts';

test('both listeners have the same headers, ids and limits on what comes first', async () => {
  const app = await startApp({ config: { server: { name: 'Both' } } });
  for (const server of [app.app.server, await app.app.deliveryServer()]) {
    const hello = await server.inject('/hello');
    expect(hello.headers).toMatchObject({ server: 'Both', 'x-content-type-options': 'nosniff' });
    expect(hello.headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    expect((await server.inject(`/hello?${'x'.repeat(20_000)}`)).statusCode).toBe(414);
    expect((await server.inject({ method: 'PURGE' as 'GET', url: '/hello' })).statusCode).toBe(405);
  }
  await app.close();
});

function withEntry(debugging: boolean, isSurplus = false) {
  const logged: LogRecord[] = [];
  const config = { server: { name: 'Test', trustProxy: false }, limits: { queryStringBytes: 100 } };
  const logger = {
    error: () => undefined,
    warn: () => undefined,
    debug: (fields: object, message: string) =>
      void logged.push({ level: 'debug', fields: { ...fields }, message }),
    isLevelEnabled: (level: string) => debugging && level === 'debug',
  };
  const connections = { get: () => ({ isSurplus }) as HttpConnection };
  const deps = { config, logger } as unknown as Parameters<typeof createOnRequest>[0];
  const onRequest = createOnRequest(deps, connections, {
    setCommonHeaders: createCommonHeaders(config.server.name),
    cors: () => false,
  });
  const { server } = bareServer((bare) => {
    bare.addHook('onRequest', onRequest);
    bare.get('/health', async () => 'ok');
    bare.get('/a', async () => 'ok');
    bare.get('/*', async () => 'ok');
  });
  return { server, logged };
}

describe('every response', () => {
  it('names the server, its request, and forbids sniffing', async () => {
    const { server } = withEntry(false);
    const { headers } = await server.inject({ url: '/a' });
    expect(headers).toMatchObject({
      server: 'Test',
      'x-request-id': 'request-1',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is 414 when the query string is too long, and only then', async () => {
    const { server } = withEntry(false);
    const status = async (url: string) => (await server.inject({ url })).statusCode;
    expect(await status(`/a?${'x'.repeat(100)}`)).toBe(200);
    expect(await status(`/a?${'x'.repeat(101)}`)).toBe(414);
    expect(await status(`/${'x'.repeat(200)}?${'x'.repeat(100)}`)).toBe(200);
  });

  it('is logged at debug level, without its query', async () => {
    const { server, logged } = withEntry(true);
    await server.inject({ url: '/a?filter=secret' });
    expect(logged).toMatchObject([{ fields: { requestId: 'request-1', method: 'GET', path: '/a' } }]);
    const quiet = withEntry(false);
    await quiet.server.inject({ url: '/a' });
    expect(quiet.logged).toEqual([]);
  });
});

describe('a connection over the limit', () => {
  it('gets 503 with Retry-After, but for /health and /metrics', async () => {
    const { server } = withEntry(false, true);
    const refused = await server.inject({ url: '/a' });
    expect([refused.statusCode, refused.json().statusCode]).toEqual([503, 503]);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect((await server.inject({ url: '/health?a=b' })).statusCode).toBe(200);
    expect((await server.inject({ url: '/metrics' })).statusCode).toBe(200);
  });
});

const LONG = 'é'.repeat(300_000);
const UNREAD = 'x'.repeat(32_000_000);
let bare: BareServer | undefined;

afterEach(async () => {
  await bare?.server.close();
  bare = undefined;
});

async function open(unsentBytes = 1_000_000) {
  const limits = { connections: 100, sendSeconds: 10, unsentBytes };
  const connections = createConnectionTracker({
    limits,
    unsent: createByteQuota(unsentBytes),
    logger: { warn() {} },
    now: () => 0,
  });
  const started = bareServer(
    (server) => {
      server.addHook('onSend', createOnSend(connections));
      server.get('/text', async (_request, reply) => sendText(reply, JSON_TYPE, LONG));
      server.get('/pieces', async (_request, reply) => sendText(reply, JSON_TYPE, ['a', LONG, LONG]));
      server.get('/bytes', async (_request, reply) => reply.serializer(passThrough).send(Buffer.from(LONG)));
      server.get('/unread', async (_request, reply) => sendText(reply, JSON_TYPE, UNREAD));
      server.get('/stream', async (_request, reply) =>
        reply.send(Readable.from([Buffer.from('ab'), Buffer.from('c')])),
      );
      server.get('/none', async (_request, reply) => reply.code(204).send());
      server.post('/', async (_request, reply) => sendText(reply, JSON_TYPE, UNREAD));
      server.get('/errors', async (_request, reply) => sendJson(reply, { errors: LONG }, 400));
    },
    (handle) => createNodeServer(handle, { http: {}, connections }),
  );
  bare = started;
  const url = await started.server.listen({ host: '127.0.0.1', port: 0 });
  return { url, connections };
}

const expected: Readonly<Record<string, string>> = {
  '/text': LONG,
  '/pieces': `a${LONG}${LONG}`,
  '/bytes': LONG,
};

describe('a response', () => {
  it('that is a stream passes unchanged', async () => {
    const { url } = await open();
    expect(await (await fetch(`${url}/stream`)).text()).toBe('abc');
  });

  it.each(Object.keys(expected))(
    'of %s is the same whole and in chunks, and its length is told',
    async (path) => {
      const { url } = await open();
      const answer = await fetch(url + path);
      expect(await answer.text()).toBe(expected[path]);
      const length = String(Buffer.byteLength(expected[path] ?? ''));
      expect(answer.headers.get('content-length')).toBe(length);
      const head = await fetch(url + path, { method: 'HEAD' });
      expect([await head.text(), head.headers.get('content-length')]).toEqual(['', length]);
      const injected = await bare?.server.inject({ url: path });
      expect(injected?.body).toBe(expected[path]);
    },
  );
});

describe('while the limit of unsent bytes is reached', () => {
  const unread = async (
    url: string,
    connections: Awaited<ReturnType<typeof open>>['connections'],
    text: string,
  ) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(text);
    await expect.poll(() => connections.overloadError(2_000_000)).toBeDefined();
    return socket;
  };

  it.each([
    ['a read', 'GET /unread HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a write', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
  ])('by %s, a long read is 503; small responses, errors and writes are sent', async (_name, text) => {
    const { url, connections } = await open();
    const socket = await unread(url, connections, text);
    const refused = await fetch(`${url}/text`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ statusCode: 503, success: false });
    const head = await fetch(`${url}/text`, { method: 'HEAD' });
    expect(head.status).toBe(503);
    expect((await fetch(`${url}/none`)).status).toBe(204);
    const errors = await fetch(`${url}/errors`);
    expect([errors.status, ((await errors.json()) as { errors: string }).errors]).toEqual([400, LONG]);
    const written = await fetch(url, { method: 'POST' });
    expect([written.status, (await written.text()).length]).toEqual([200, UNREAD.length]);
    socket.destroy();
    await expect.poll(() => connections.overloadError(2_000_000)).toBeUndefined();
  });
});

describe('the connection', () => {
  const post = (type: string, more: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n${more}\r\n`;
  const ask = async (text: string) => {
    const { url } = await open();
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    const head = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    const [, status] = /^HTTP\/1.1 (\d+) /.exec(await head) ?? [];
    const ends = /\r\nConnection: close\r\n/i.test(await head);
    socket.destroy();
    await closed(socket);
    return [status, ends ? 'ends' : 'goes on'];
  };

  it.each([
    ['a short body that is refused', post('a/b', 'Content-Length: 200\r\n'), ['415', 'goes on']],
    ['a long one', post('a/b', 'Content-Length: 100000\r\n'), ['415', 'ends']],
    ['one of unknown length', post('a/b', 'Transfer-Encoding: chunked\r\n'), ['415', 'ends']],
    ['one that waits', post('a/b', 'Content-Length: 2\r\nExpect: 100-continue\r\n'), ['415', 'ends']],
    [
      'one that is read and wrong',
      `${post('application/json', 'Content-Length: 2\r\n')}{]`,
      ['400', 'goes on'],
    ],
  ])('behind %s', async (_name, text, answer) => {
    expect(await ask(text)).toEqual(answer);
  });

  it('ends when the client says so', async () => {
    const { url } = await open();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await received(socket)).toMatch(/^HTTP\/1.1 204 .*Connection: close/s);
  });
});
