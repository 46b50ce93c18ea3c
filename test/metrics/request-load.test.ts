// Scrapes of both listeners beside the load that was made, on real sockets.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { sendRaw } from '../helpers/server-process/client.ts';
import { requestsBetween, type ScrapedSample, scrape, sumOf } from './scrape.ts';

const TOKEN = 'a-token-of-prometheus';
const BOOKS = '/1.0/library/books';
const COLLECTION = '/{version}/{database}/{collection}';

let app: TestApp;
let url: string;
let deliveryUrl: string;
let admin: string;

beforeAll(async () => {
  app = await startApp({ config: { metrics: { token: TOKEN }, cache: true } });
  url = await app.listen();
  deliveryUrl = (await app.app.listenDelivery()).url;
  admin = await app.adminToken();
});

afterAll(() => app.close());

const send = (path: string, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { authorization: `Bearer ${admin}`, ...init.headers } });

const post = (document: object) =>
  send(BOOKS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  });

async function expectCounted(
  load: () => Promise<unknown>,
  expected: Readonly<Record<string, number>>,
  listener = 'content',
): Promise<readonly ScrapedSample[]> {
  const before = await scrape(url, TOKEN);
  await load();
  await expect
    .poll(async () => requestsBetween(before, await scrape(url, TOKEN), listener))
    .toEqual(expected);
  return before;
}

const authorization = () => `Host: a\r\nAuthorization: Bearer ${admin}\r\n`;

describe('a scrape tells of requests', () => {
  it('that write and read, that find nothing new, and that only want the head', async () => {
    const load = async () => {
      const created = await post({ title: 'a' });
      const { results } = (await created.json()) as { results: { _id: string }[] };
      const path = `${BOOKS}/${results[0]?._id}`;
      const etag = (await send(path)).headers.get('etag') ?? '';
      await send(path, { headers: { 'if-none-match': etag } });
      await send(path, { method: 'HEAD' });
      await send(`${BOOKS}?callback=show`);
      await send(`${BOOKS}/count?filter={}`);
      await send(path, { method: 'DELETE' });
      await send(path);
    };
    await expectCounted(load, {
      [`POST ${COLLECTION} 200`]: 1,
      [`GET ${COLLECTION} 200`]: 1,
      [`GET ${COLLECTION}/{id} 200`]: 1,
      [`GET ${COLLECTION}/{id} 304`]: 1,
      [`HEAD ${COLLECTION}/{id} 200`]: 1,
      [`GET ${COLLECTION}/count 200`]: 1,
      [`DELETE ${COLLECTION}/{id} 204`]: 1,
      [`GET ${COLLECTION}/{id} 404`]: 1,
    });
  });

  it('that are rejected, before a route is found or behind it', async () => {
    const load = async () => {
      await send('/no-such-path');
      await fetch(`${url}/no-such-path`);
      await send('/1.0/library/no-such-collection');
      await send('/api/status', { method: 'PATCH' });
      await send('/a%zz');
      await fetch(`${url}${BOOKS}`);
    };
    await expectCounted(load, {
      'GET other 404': 1,
      'GET other 401': 1,
      [`GET ${COLLECTION} 404`]: 1,
      'PATCH /api/status 405': 1,
      'GET other 400': 1,
      [`GET ${COLLECTION} 401`]: 1,
    });
  });

  it('that are no HTTP, or of methods that nobody knows', async () => {
    const load = async () => {
      await sendRaw(url, 'nonsense\r\n\r\n');
      await sendRaw(url, 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n');
      await sendRaw(url, `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
      await sendRaw(url, 'PROPFIND /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    };
    await expectCounted(load, {
      'other other 405': 2,
      'other other 431': 1,
      'other /hello 405': 1,
    });
  });

  it('once each on a connection that ends with what is no HTTP', async () => {
    const good = `GET /hello HTTP/1.1\r\n${authorization()}\r\n`;
    const broken = `POST ${BOOKS} HTTP/1.1\r\n${authorization()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    await expectCounted(() => sendRaw(url, broken), { [`POST ${COLLECTION} 400`]: 1 });
    // It was not begun: the response to it ends the connection.
    await expectCounted(() => sendRaw(url, `${good}${good}${broken}`), {
      'GET /hello 200': 2,
      'other other 400': 1,
    });
    await expectCounted(() => sendRaw(url, `${good}nonsense\r\n\r\n`), {
      'GET /hello 200': 1,
      'other other 405': 1,
    });
  });

  it('whose client has gone before it was answered', async () => {
    const load = async () => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = `POST ${BOOKS} HTTP/1.1\r\n${authorization()}Content-Type: application/json\r\nContent-Length: 999\r\nExpect: 100-continue\r\n\r\n`;
      socket.write(head);
      // The server waits for the body from here on.
      await once(socket, 'data');
      socket.resetAndDestroy();
    };
    await expectCounted(load, { [`POST ${COLLECTION} 499`]: 1 });
  });

  it('that are streamed, whether or not the client stays', async () => {
    await Promise.all(Array.from({ length: 30 }, () => post({ title: 'long', notes: 'x'.repeat(200_000) })));
    const load = async () => {
      expect((await (await send(`${BOOKS}?count=30`)).text()).length).toBeGreaterThan(6_000_000);
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${BOOKS}?count=29 HTTP/1.1\r\n${authorization()}\r\n`);
      await once(socket, 'data');
      socket.resetAndDestroy();
    };
    await expectCounted(load, { [`GET ${COLLECTION} 200`]: 2 });
  });

  it('of the delivery listener, under its name', async () => {
    const load = async () => {
      await fetch(`${deliveryUrl}/hello`);
      await fetch(`${deliveryUrl}/no/file.jpg`);
      await fetch(`${deliveryUrl}/api/routes`);
    };
    const expected = { 'GET /hello 200': 1, 'GET /{path} 404': 1, 'GET /api/routes 401': 1 };
    await expectCounted(load, expected, 'delivery');
  });
});

it('a scrape of each listener tells of both', async () => {
  const [content, delivery] = await Promise.all([scrape(url, TOKEN), scrape(deliveryUrl, TOKEN)]);
  const names = (samples: readonly ScrapedSample[]) => new Set(samples.map(({ name }) => name));
  expect(names(delivery)).toEqual(names(content));
  expect(sumOf(delivery, 'cloister_http_requests_total', { listener: 'content' })).toBeGreaterThan(20);
});

it('operations of the store and results of the cache are counted', async () => {
  const before = await scrape(url, TOKEN);
  const path = `${BOOKS}?filter={"title":"cached"}`;
  await send(path);
  await send(path);
  await send(path);
  await send(`${path}&cache=false`);
  await post({ title: 'one more' });
  const after = await scrape(url, TOKEN);
  const difference = (name: string, labels: Readonly<Record<string, string>>) =>
    sumOf(after, name, labels) - sumOf(before, name, labels);
  const ofCache = (result: string) =>
    difference('cloister_cache_requests_total', { cache: 'responses', result });
  expect([ofCache('miss'), ofCache('hit'), ofCache('bypass')]).toEqual([1, 2, 1]);
  const ofStore = (operation: string) =>
    difference('cloister_store_operations_total', { operation, outcome: 'ok' });
  expect(ofStore('commit')).toBe(1);
  // The client of the token may have been looked up again meanwhile.
  expect(ofStore('find')).toBeGreaterThanOrEqual(2);
  const timed = difference('cloister_store_operation_duration_seconds_count', { operation: 'find' });
  expect(timed).toBe(ofStore('find'));
});

it('every request has a duration, and unsent bytes are back at what the scrape itself takes', async () => {
  const samples = await scrape(url, TOKEN);
  for (const listener of ['content', 'delivery']) {
    const count = sumOf(samples, 'cloister_http_request_duration_seconds_count', { listener });
    expect(count).toBe(sumOf(samples, 'cloister_http_requests_total', { listener }));
  }
  expect(sumOf(samples, 'cloister_unsent_bytes')).toBe(0);
});
