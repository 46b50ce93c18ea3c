import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { closed, received, SEND_SECONDS, type SocketServer, startSocketServer } from './socket-server.ts';

const MUCH = 32_000_000;
const STALLED_MS = (SEND_SECONDS * 1000) / 3;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: SocketServer;

afterEach(() => server.close());

describe('connections over the limit', () => {
  it('are marked, and logged once a minute', async () => {
    const warnings: object[] = [];
    server = await startSocketServer((_request, response) => response.end(), { connections: 2, warnings });
    const ends = [await server.open(), await server.open(), await server.open(), await server.open()];
    expect(ends.map(({ connection }) => connection?.isSurplus)).toEqual([false, false, true, true]);
    expect(warnings).toEqual([{ connections: 2 }]);
    const gone = ends.slice(1).map((end) => closed(end.server));
    for (const { client } of ends.slice(1)) client.destroy();
    await Promise.all(gone);
    expect((await server.open()).connection?.isSurplus).toBe(false);
    server.advance(60_000);
    await server.open();
    expect(warnings).toHaveLength(2);
  });

  it('get an error and are closed at once beyond the surplus', async () => {
    server = await startSocketServer((_request, response) => response.end(), { connections: 1 });
    for (let n = 0; n < 257; n += 1) await server.open();
    const { client, connection } = await server.open();
    expect(connection).toBeUndefined();
    client.once('end', () => client.end());
    const text = await received(client);
    expect(text).toMatch(/^HTTP\/1.1 503 .*Retry-After: \d+\r\n.*"statusCode":503,"success":false/s);
  });
});

describe('unsent bytes', () => {
  const unread = async () => {
    const ends = await server.open(GET, true);
    await expect.poll(() => ends.server.writableLength).toBeGreaterThan(0);
    return ends;
  };
  const start = (unsentBytes: number) =>
    startSocketServer(
      (request, response) => {
        response.end('x'.repeat(MUCH));
        server.connections.get(request.socket)?.reserveUntilClosed(response);
      },
      { unsentBytes },
    );

  it('count while a response is prepared', async () => {
    server = await start(MUCH);
    const { server: socket, connection } = await server.open();
    const { connections } = server;
    const work = async () => [connection?.unsentBytes, connections.overloadError(MUCH)?.code];
    expect(await connections.reserveDuring(socket, 10_000, work)).toEqual([10_000, 'SERVER_BUSY']);
    expect(connection?.unsentBytes).toBe(0);
    await unread();
    await expect(connections.reserveDuring(socket, 2 * MUCH, work)).rejects.toMatchObject({
      code: 'SERVER_BUSY',
    });
  });

  it('of stalled clients are dropped when less than a quarter is free', async () => {
    server = await start(MUCH);
    const { server: socket } = await unread();
    const end = closed(socket);
    server.advance(1);
    server.advance(STALLED_MS);
    await end;
  });

  it('over the limit are an error', async () => {
    server = await start(2 * MUCH);
    expect(server.connections.overloadError(3 * MUCH)).toBeUndefined();
    const { client, server: socket, connection } = await unread();
    expect(connection?.unsentBytes).toBeGreaterThan(MUCH / 2);
    expect(server.connections.overloadError(MUCH / 2)).toBeUndefined();
    expect(server.connections.overloadError(3 * MUCH)).toMatchObject({ code: 'SERVER_BUSY', status: 503 });
    const end = closed(socket);
    client.resume();
    client.destroy();
    await end;
    expect(server.connections.overloadError(3 * MUCH)).toBeUndefined();
  });

  it('of stalled clients are dropped first, the longest stalled before others', async () => {
    server = await start(3 * MUCH);
    const first = await unread();
    server.advance(0);
    server.advance(STALLED_MS / 2);
    const second = await unread();
    server.advance(0);
    expect(server.connections.overloadError(2 * MUCH - 10_000)?.code).toBe('SERVER_BUSY');
    server.advance(STALLED_MS);
    const end = closed(first.server);
    expect(server.connections.overloadError(2 * MUCH - 10_000)).toBeUndefined();
    await end;
    expect(second.server.destroyed).toBe(false);
    expect(first.connection?.unsentBytes).toBe(0);
  });
});

describe('a shutdown', () => {
  it('does not wait for clients that have their response', async () => {
    server = await startSocketServer((request, response) => {
      server.connections.get(request.socket)?.discardBody(request);
      response.writeHead(401, { connection: 'close', 'content-length': 0 }).end();
    });
    const busy = await server.open();
    const { client, server: socket } = await server.open(
      GET.replace('\r\n\r\n', '\r\nContent-Length: 9\r\n\r\n'),
    );
    client.resume();
    await expect.poll(() => socket.writableFinished).toBe(true);
    const end = closed(socket);
    server.connections.closeFinished();
    await end;
    expect(busy.server.destroyed).toBe(false);
  });
});

describe('the server', () => {
  beforeEach(async () => {
    server = await startSocketServer((_request, response) => response.end('fine'));
  });

  async function exchange(text: string): Promise<string> {
    const { client } = await server.open(text);
    const all = received(client);
    client.once('end', () => client.end());
    return all;
  }

  describe('a request that is no HTTP', () => {
    it.each([
      ['GRAB / HTTP/1.1\r\nHost: a\r\n\r\n', 405],
      ['nonsense\r\n\r\n', 405],
      ['GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nbad header\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nX: ${'x'.repeat(200_000)}`, 431],
    ])('%j is answered in the envelope, and closed', async (text, status) => {
      const answer = await exchange(text);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
      expect(JSON.parse(body)).toEqual({
        statusCode: status,
        success: false,
        errors: [{ message: expect.any(String) }],
      });
    });
  });

  describe('a request', () => {
    it.each([
      ['', null],
      ['Content-Length: 1\r\n', true],
      ['Transfer-Encoding: chunked\r\n', true],
    ])('with %j is discarded after its response: %s', async (header, flowing) => {
      const seen: unknown[] = [];
      const own = await startSocketServer((request, response) => {
        own.connections.get(request.socket)?.discardBody(request);
        seen.push(request.readableFlowing);
        response.end();
      });
      onTestFinished(() => own.close());
      await own.open(`GET / HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
      await expect.poll(() => seen).toEqual([flowing]);
    });

    it.each(['', 'Expect: 100-continue\r\n', 'Expect: wonders\r\n'])('with %j is handled', async (header) => {
      const answer = await exchange(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 200 .*fine/s);
    });

    it.each([
      ['POST', /^HTTP\/1.1 201 .*late/s],
      ['GET', /^$/],
    ])('by %s whose client closes its side behind it is answered %s', async (method, answer) => {
      const late = await startSocketServer((request, response) => {
        request.socket.once('end', () => setImmediate(() => response.writeHead(201).end('late')));
      });
      onTestFinished(() => late.close());
      const { client } = await late.open();
      const all = received(client);
      client.end(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(await all).toMatch(answer);
    });
  });
});
