import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { JSON_TYPE, passThrough, sendJson, sendText } from '../../../src/http/core/reply.ts';
import { createConnectionTracker, createNodeServer } from '../../../src/http/transport/connection-tracker.ts';
import { createOnSend, createResponseStream } from '../../../src/http/transport/on-send.ts';
import { createByteQuota } from '../../../src/lib/async/concurrency.ts';
import { type BareServer, bareServer } from '../bare-fastify-server.ts';
import { closed, received } from './socket-server.ts';

const LONG = 'é'.repeat(300_000);
const UNREAD = 'x'.repeat(32_000_000);
let bare: BareServer;

afterEach(() => bare.server.close());

async function open(unsentBytes = 1_000_000) {
  const limits = { connections: 100, sendSeconds: 10, unsentBytes };
  const connections = createConnectionTracker({
    limits,
    unsent: createByteQuota(unsentBytes),
    logger: { warn() {} },
    now: () => 0,
  });
  bare = bareServer(
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
  const url = await bare.server.listen({ host: '127.0.0.1', port: 0 });
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
      const injected = await bare.server.inject({ url: path });
      expect(injected.body).toBe(expected[path]);
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

const BODIES = [
  ['text', 'xü'.repeat(2_000_000)],
  ['pieces', Array.from({ length: 40 }, () => 'ü'.repeat(99_999))],
  ['bytes', Buffer.alloc(5_000_000, 'abc')],
] as const;
const whole = (body: (typeof BODIES)[number][1]) =>
  Buffer.isBuffer(body) ? body : Buffer.from([body].flat().join(''));

describe.each(BODIES)('%s', (_name, body) => {
  it('are streamed unchanged, in chunks that are counted', async () => {
    const taken: number[] = [];
    const bytes = await buffer(createResponseStream(body, (count) => taken.push(count)));
    expect(bytes.equals(whole(body))).toBe(true);
    expect(taken.reduce((sum, count) => sum + count)).toBe(bytes.length);
    expect(Math.max(...taken)).toBeLessThanOrEqual(200_000);
  });

  it('yield to the event loop while they are streamed', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await buffer(createResponseStream(body, () => undefined));
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

it('a response stream creates no chunk before it is requested', async () => {
  const taken: number[] = [];
  const stream = createResponseStream('x'.repeat(2_000_000), (count) => taken.push(count));
  stream.read(1);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(taken.length).toBeLessThan(4);
});
