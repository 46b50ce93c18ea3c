import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { received, type SocketServer, startSocketServer } from './socket-server.ts';

let server: SocketServer;

beforeEach(async () => {
  server = await startSocketServer((_request, response) => response.end('fine'));
});

afterEach(() => server.close());

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
