import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  closed,
  received,
  receives,
  SEND_SECONDS,
  type SocketServer,
  startSocketServer,
} from './socket-server.ts';

const SEND_MS = SEND_SECONDS * 1000;
/** More than the system keeps for a client that does not read. */
const MUCH = 32_000_000;
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

let server: SocketServer;
let asked: string[];
let handle: (request: IncomingMessage, response: ServerResponse) => unknown;

const answer = (response: ServerResponse, text: string) => {
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
};

/** As the framework refuses a request: at once, and the rest of its body is dropped. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string> = {},
): void {
  server.connections.get(request.socket)?.discardBody(request);
  response.writeHead(401, { 'content-length': 2, ...headers });
  response.end('no');
}

const closing = { connection: 'close' };

beforeEach(async () => {
  asked = [];
  handle = (request, response) => answer(response, `answer to ${request.url}`);
  server = await startSocketServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    void handle(request, response);
  });
});

afterEach(() => server.close());

describe('requests of a connection', () => {
  it('are handled one after the other, and answered in order', async () => {
    const waiting: (() => void)[] = [];
    handle = ({ url }, response) => waiting.push(() => answer(response, `answer to ${url}.`));
    const { client } = await server.open(get('/1') + get('/2') + get('/3'));
    let begun = receives(client, '/1.');
    await expect.poll(() => asked).toEqual(['GET /1']);
    for (const next of ['/2', '/3']) {
      waiting.pop()?.();
      await begun;
      begun = receives(client, `${next}.`);
      await expect.poll(() => asked.at(-1)).toBe(`GET ${next}`);
      expect(waiting).toHaveLength(1);
    }
    waiting.pop()?.();
    await begun;
  });

  it('are not read while an earlier one has no response', async () => {
    handle = () => undefined;
    const { client, server: socket } = await server.open();
    const text = get('/').repeat(1000);
    const total = 1000 * text.length;
    let isTaken = true;
    for (let n = 0; n < 1000; n += 1) isTaken = client.write(text);
    expect(isTaken).toBe(false);
    await once(socket, 'pause');
    expect(asked).toEqual(['GET /']);
    expect(socket.bytesRead).toBeLessThan(total / 10);
  });

  it('continue after a short body that was not read', async () => {
    handle = (request, response) =>
      request.method === 'POST' ? refuse(request, response) : answer(response, 'ok.');
    const evil = get('/evil');
    const { client } = await server.open(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${evil.length}\r\n\r\n`,
    );
    await receives(client, '401');
    client.write(evil + get('/good'));
    await receives(client, 'ok.');
    expect(asked).toEqual(['POST /', 'GET /good']);
  });
});

describe('the end of a connection', () => {
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

  it('waits for the client to stop writing, and ignores what it wrote', async () => {
    handle = (request, response) => refuse(request, response, closing);
    const { client, server: socket } = await server.open(post);
    const all = received(client);
    await once(client, 'data');
    client.write('3\r\nabc\r\n0\r\n\r\n');
    client.write(get('/evil'));
    await once(client, 'end');
    client.end();
    // What followed the body was not read: until the time is up.
    server.advance(1000);
    await closed(socket);
    expect(await all).toMatch(/^HTTP\/1.1 401 .*no$/s);
    expect(asked).toEqual(['POST /']);
  });

  it('comes as soon as the client has closed its side', async () => {
    handle = (request, response) => refuse(request, response, closing);
    const { client, server: socket } = await server.open(post);
    client.resume();
    await once(client, 'end');
    client.end();
    await closed(socket);
  });

  it.each([
    ['that ends the connection', closing],
    ['that does not', {}],
  ])('comes when too much is sent after a response %s', async (_name, headers) => {
    handle = (request, response) => refuse(request, response, headers);
    const { client, server: socket } = await server.open(post);
    client.resume();
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
    const end = closed(client);
    const pump = () => {
      while (!client.destroyed && client.write(chunk));
    };
    client.on('drain', pump);
    pump();
    await end;
    expect(socket.bytesRead).toBeGreaterThan(1_000_000);
    expect(socket.bytesRead).toBeLessThan(4_000_000);
  });

  it.each([
    ['the rest does not come', 1, 1000],
    ['the rest comes too slowly', 10, 500],
  ])('comes when %s', async (_name, steps, milliseconds) => {
    handle = (request, response) => refuse(request, response);
    const { client, server: socket } = await server.open(post);
    await receives(client, 'no');
    const end = closed(socket);
    for (let n = 0; n < steps; n += 1) {
      const before = socket.bytesRead;
      client.write('1\r\nx\r\n');
      await expect.poll(() => socket.bytesRead > before).toBe(true);
      server.advance(1);
      expect(socket.destroyed).toBe(false);
      server.advance(milliseconds);
    }
    await end;
  });

  it('is at once when the client has sent everything', async () => {
    const { client, server: socket } = await server.open(get('/', 'Connection: close\r\n'));
    client.resume();
    await closed(socket);
  });
});

describe('a client that does not read', () => {
  const unread = async () => {
    handle = (_request, response) => answer(response, 'x'.repeat(MUCH));
    const ends = await server.open(get('/'), true);
    await expect.poll(() => ends.server.writableLength).toBeGreaterThan(0);
    server.advance(0);
    return ends;
  };

  it('is disconnected after the timeout', async () => {
    const { server: socket } = await unread();
    const end = closed(socket);
    server.advance(SEND_MS - 1);
    expect(socket.destroyed).toBe(false);
    server.advance(1);
    await end;
  });

  it('restarts the timeout with everything that it reads', async () => {
    const pieces: (() => void)[] = [];
    handle = (_request, response) => {
      response.writeHead(200, { 'content-length': 3 * MUCH });
      const write = () => {
        response.write('x'.repeat(MUCH), () => pieces.push(write));
      };
      write();
    };
    const { client, server: socket } = await server.open(get('/'), true);
    await expect.poll(() => socket.writableLength).toBeGreaterThan(0);
    for (let n = 1; n <= 3; n += 1) {
      server.advance(0);
      server.advance(SEND_MS - 1);
      client.resume();
      await expect.poll(() => pieces.length).toBe(1);
      client.pause();
      server.advance(2 * SEND_MS);
      expect(socket.destroyed).toBe(false);
      if (n < 3) pieces.pop()?.();
    }
  });

  it('cannot extend the timeout by sending', async () => {
    const { client, server: socket } = await unread();
    const end = closed(socket);
    server.advance(SEND_MS - 1);
    client.write(get('/more'));
    server.advance(1);
    await end;
  });
});

describe('an invalid request', () => {
  it('gets its error after the response before it', async () => {
    const waiting: (() => void)[] = [];
    handle = ({ url }, response) => waiting.push(() => answer(response, `answer to ${url}.`));
    const { client } = await server.open(`${get('/1')}nonsense\r\n\r\n`);
    const all = received(client);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.pop()?.();
    await once(client, 'end');
    client.end();
    expect(await all).toMatch(/^HTTP\/1.1 200 .*answer to \/1\.HTTP\/1.1 405 .*"statusCode":405.*\}$/s);
  });

  it('gets its error whatever follows', async () => {
    const { client } = await server.open();
    const all = received(client);
    client.write('nonsense\r\n\r\n');
    await once(client, 'data');
    for (let n = 0; n < 20; n += 1) client.write('x'.repeat(10_000));
    client.end();
    expect(await all).toMatch(/^HTTP\/1.1 405 /);
    expect(asked).toEqual([]);
  });
});

describe('an invalid body', () => {
  const broken = 'POST /broken HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n';

  it('gets its error without its rest', async () => {
    handle = (request) => request.resume();
    const { client, server: socket } = await server.open(broken);
    expect(await receives(client, '}')).toMatch(/^HTTP\/1.1 400 /);
    const end = closed(socket);
    server.advance(999);
    expect(socket.destroyed).toBe(false);
    server.advance(1);
    expect(socket.destroyed).toBe(true);
    await end;
  });

  it('gets its error after the response before it', async () => {
    const waiting: (() => void)[] = [];
    handle = ({ url }, response) => waiting.push(() => answer(response, `answer to ${url}.`));
    const { client } = await server.open(get('/1') + broken);
    const all = received(client);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.pop()?.();
    await once(client, 'end');
    client.end();
    expect(await all).toMatch(/^HTTP\/1.1 200 .*answer to \/1\.HTTP\/1.1 400 .*\}$/s);
  });
});

describe('100 Continue', () => {
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n';

  it('is sent to a client whose body is read', async () => {
    handle = async (request, response) => {
      const body = await request.toArray();
      answer(response, `${body}.`);
    };
    const { client } = await server.open(post);
    expect(await receives(client, '\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.write('abc');
    expect(await receives(client, 'abc.')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is not sent with an error, after which the connection ends', async () => {
    handle = (request, response) => refuse(request, response);
    const { client } = await server.open(post);
    const all = received(client);
    await once(client, 'end');
    client.end();
    expect(await all).toMatch(/^HTTP\/1.1 401 .*Connection: close.*no$/s);
  });
});
