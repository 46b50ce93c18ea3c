// Requests that are late because the client is, and because nobody has read them.
import type { RequestListener } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { received, startSocketServer } from './socket-server.ts';

/** Milliseconds. */
const LIMIT = 200;
const http = { headersTimeout: LIMIT, requestTimeout: LIMIT, connectionsCheckingInterval: 20 };

/** As those do that wait for a database. */
const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => setTimeout(() => response.end('the answer'), 2));
};

/** Sends a text. `all`: what comes until so many answers have come, or the server ends the connection. */
async function openLate(text: string, answers = Number.POSITIVE_INFINITY) {
  const server = await startSocketServer(answer, { http });
  onTestFinished(server.close);
  const { client } = await server.open();
  const all = received(client);
  let left = answers;
  client.on('data', (chunk: Buffer) => {
    left -= chunk.toString().match(/the answer/g)?.length ?? 0;
    if (left <= 0) client.end();
  });
  client.once('end', () => client.end());
  client.write(text);
  return { client, all };
}

/** As a suspended process does: whatever comes waits in the sockets. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

const GET = 'GET / HTTP/1.1\r\n\r\n';
const PUT = 'PUT / HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello';

const statusesOf = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(-3)));

it.each([
  ['a request without a body', GET, [200]],
  ['a request with a body', PUT, [200]],
  ['requests behind one another', `${GET}${PUT}`, [200, 200]],
])('the server answers %s that came while the process stood still', async (_, text, statuses) => {
  const { all } = await openLate(text, statuses.length);
  standStill(2 * LIMIT);
  expect(statusesOf(await all)).toEqual(statuses);
});

it('the server answers a request whose body came while the process stood still', async () => {
  const { client, all } = await openLate(PUT.slice(0, -4), 1);
  // The head is read before it stands still.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  client.write('ello');
  standStill(2 * LIMIT);
  expect(statusesOf(await all)).toEqual([200]);
});

it.each([
  ['the head', GET.slice(0, -2), [408]],
  ['the body', PUT.slice(0, -1), [408]],
  ['the head of a second request', `${GET}${GET.slice(0, -2)}`, [200, 408]],
])('the server answers 408 where %s does not come', async (_, text, statuses) => {
  const { all } = await openLate(text);
  standStill(2 * LIMIT);
  expect(statusesOf(await all)).toEqual(statuses);
});
