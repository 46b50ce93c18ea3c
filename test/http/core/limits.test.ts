// Every limit of docs/reference/limits.md that a request can run into, with the value that is in force by default where that is cheap.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { BOOKS, book, PEOPLE } from '../../helpers/fixtures/library.ts';
import { sendRaw } from '../../helpers/server-process/client.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const PATH = '/1.0/library/books';
const PEOPLE_PATH = '/1.0/library/people';
const PLAIN: JsonObject = { fields: { n: { type: 'Number' }, text: {}, more: {} }, settings: {} };
const SPECS = { '1.0/library/books': BOOKS, '1.0/library/people': PEOPLE, '1.0/library/plain': PLAIN };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: SPECS });
});

afterAll(() => app.close());

const filterQuery = (filter: object) => `${PATH}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
const countOf = async (path: string) => (await app.inject('GET', `${path}/count`)).body.metadata.totalCount;

function expectRefusal({ status, body }: { status: number; body: unknown }, expected: number): void {
  expect(status).toBe(expected);
  const errors = [expect.objectContaining({ message: expect.any(String) })];
  expect(body).toMatchObject({ statusCode: expected, success: false, errors });
}

describe('bytes', () => {
  it('of a JSON body: 10 MB', async () => {
    const frame = '{"title":"x","notes":""}';
    const bodyOf = (bytes: number) =>
      frame.replace('"notes":"', `"notes":"${'x'.repeat(bytes - frame.length)}`);
    expect((await app.inject('POST', PATH, { body: bodyOf(10_485_760) })).status).toBe(200);
    expectRefusal(await app.inject('POST', PATH, { body: bodyOf(10_485_761) }), 413);
    await app.inject('DELETE', PATH, { body: { query: {}, all: true } });
  });

  it('of the login: 10 KB', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const ask = (bytes: number) =>
      app.inject('POST', '/token', { token: null, body: `secret=${'x'.repeat(bytes - 7)}`, headers: form });
    expect((await ask(10_240)).status).toBe(400);
    expectRefusal(await ask(10_241), 413);
  });

  it('of a query string: 16 KB', async () => {
    const url = (bytes: number) => `${PATH}?${'x'.repeat(bytes)}`;
    expect((await app.inject('GET', url(16_384))).status).toBe(200);
    expectRefusal(await app.inject('GET', url(16_385)), 414);
    expectRefusal(await app.inject('GET', url(16_385), { token: null }), 414);
  });

  it('of one document: 16 MB as BSON, also when it grows to that', async () => {
    const large = await startApp({ specs: SPECS, config: { limits: { jsonBytes: 52_428_800 } } });
    const text = 'x'.repeat(9_000_000);
    expectRefusal(await large.inject('POST', '/1.0/library/plain', { body: { text: text + text } }), 413);
    const { status, body } = await large.inject('POST', '/1.0/library/plain', { body: { text } });
    expect(status).toBe(200);
    const path = `/1.0/library/plain/${body.results[0]._id}`;
    expectRefusal(await large.inject('PUT', path, { body: { more: text } }), 413);
    expect((await large.inject('GET', path)).body.results[0]).not.toHaveProperty('more');
    await large.close();
  });
});

describe('values of a document: 100,000, members counted three times', () => {
  const list = (values: number) => `[${Array(values).fill(1)}]`;
  const plain = '/1.0/library/plain';

  it('in a document, and in each of a batch', async () => {
    const bodies = [
      (values: number) => `{"x":${list(values - 3)}}`,
      (values: number) => `[{"n":1},{"x":${list(values - 3)}}]`,
    ];
    for (const bodyOf of bodies) {
      expectRefusal(await app.inject('POST', plain, { body: bodyOf(100_001) }), 413);
      // One less is read, and found not to be what the specification wants.
      const read = await app.inject('POST', plain, { body: bodyOf(100_000) });
      expectRefusal(read, 400);
      expect(read.text).toContain('collection schema');
    }
  });

  it('are limited as configured', async () => {
    const small = await startApp({ specs: SPECS, config: { limits: { jsonValues: 1000 } } });
    expectRefusal(await small.inject('POST', plain, { body: `{"x":${list(1001)}}` }), 413);
    await small.close();
  });
});

describe('depth of a JSON value: 100', () => {
  const nested = (levels: number) => `{"title":"x","notes":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it('in a document', async () => {
    expect((await app.inject('POST', PATH, { body: nested(99) })).status).toBe(200);
    expectRefusal(await app.inject('POST', PATH, { body: nested(100) }), 400);
    expectRefusal(await app.inject('POST', PATH, { body: nested(100_000) }), 400);
  });
});

describe('a filter', () => {
  const deep = (levels: number): object => (levels === 0 ? { title: 'x' } : { $and: [deep(levels - 1)] });
  const wide = (conditions: number) => ({
    $or: Array.from({ length: conditions }, (_, n) => ({ pages: n })),
  });

  it('has 8 levels at most', async () => {
    expect((await app.inject('GET', filterQuery(deep(8)))).status).toBe(200);
    const refused = await app.inject('GET', filterQuery(deep(9)));
    expectRefusal(refused, 400);
    expect(refused.text).toContain('8 levels');
  });

  it('has 200 conditions and operators at most, values of $in not counted', async () => {
    expect((await app.inject('GET', filterQuery(wide(199)))).status).toBe(200);
    const refused = await app.inject('GET', filterQuery(wide(200)));
    expectRefusal(refused, 400);
    expect(refused.text).toContain('200 conditions');
    const many = { pages: { $in: Array.from({ length: 2000 }, (_, n) => n) } };
    expect((await app.inject('GET', filterQuery(many))).status).toBe(200);
  });

  it('has the same bounds in the query of a write', async () => {
    expectRefusal(await app.inject('DELETE', PATH, { body: { query: deep(9) } }), 400);
    expectRefusal(await app.inject('PUT', PATH, { body: { query: wide(200), update: {} } }), 400);
  });
});

describe('documents', () => {
  const plain = '/1.0/library/plain';
  const batch = (size: number) => Array.from({ length: size }, (_, n) => ({ n }));

  it('of a batch: 10,000; of a write by query: 10,000, which says how many there are', async () => {
    expectRefusal(await app.inject('POST', plain, { body: batch(10_001) }), 400);
    expect(await countOf(plain)).toBe(0);
    expect((await app.inject('POST', plain, { body: batch(10_000) })).status).toBe(200);
    await app.inject('POST', plain, { body: { n: 10_000 } });
    const update = { query: {}, all: true, update: { text: 'changed' } };
    for (const refused of [
      await app.inject('PUT', plain, { body: update }),
      await app.inject('DELETE', plain, { body: { query: {}, all: true } }),
    ]) {
      expectRefusal(refused, 400);
      expect(refused.body.errors[0].message).toMatch(/10,?001/);
    }
    expect(await countOf(plain)).toBe(10_001);
    const changed = await app.inject('GET', `${plain}/count?filter={"text":"changed"}`);
    expect(changed.body.metadata.totalCount).toBe(0);
    const fewer = { query: { n: { $lt: 10_000 } } };
    expect((await app.inject('DELETE', plain, { body: fewer })).status).toBe(204);
    expect(await countOf(plain)).toBe(1);
  });

  it('of a page: 1,000', async () => {
    await app.inject('POST', plain, { body: batch(1001) });
    for (const count of ['1000', '1001', '999999999', '0']) {
      const { status, body } = await app.inject('GET', `${plain}?count=${count}`);
      expect([status, body.results.length, body.metadata.limit], count).toEqual([200, 1000, 1000]);
    }
  });
});

describe('composition', () => {
  it('goes 10 levels down, then leaves the id', async () => {
    let last: string | undefined;
    for (let n = 0; n < 13; n += 1) {
      const body = { name: `P${n}`, ...(last === undefined ? {} : { friend: last }) };
      last = (await app.inject('POST', PEOPLE_PATH, { body })).body.results[0]._id;
    }
    const { body } = await app.inject('GET', `${PEOPLE_PATH}/${last}?compose=true`);
    let levels = 0;
    let at = body.results[0].friend;
    while (typeof at === 'object') {
      levels += 1;
      at = at.friend;
    }
    expect([levels, at]).toEqual([10, expect.stringMatching(/^[0-9a-f]{24}$/)]);
  });

  it('resolves 10,000 references, then leaves ids', async () => {
    const { body } = await app.inject('POST', PATH, { body: book(1) });
    const id = body.results[0]._id;
    const related = Array.from({ length: 10_001 }, () => id);
    const holder = await app.inject('POST', PATH, { body: book(2, { related }) });
    const path = `${PATH}/${holder.body.results[0]._id}?compose=true`;
    const { body: composed } = await app.inject('GET', path);
    const kinds = composed.results[0].related.map((entry: unknown) => typeof entry);
    expect(kinds).toEqual([...Array.from({ length: 10_000 }, () => 'object'), 'string']);
  });
});

describe('time', () => {
  it('of database work: past `limits.queryMs` the answer is 503', async () => {
    const workspace = createWorkspace(SPECS);
    const filled = await startApp({ workspace });
    const rows = Array.from({ length: 200 }, (_, n) => ({ text: `${n} ${'lorem ipsum '.repeat(4000)}` }));
    for (let n = 0; n < 2; n += 1) await filled.inject('POST', '/1.0/library/plain', { body: rows });
    // Signed with the key of the data: a login would itself have ten milliseconds below.
    const token = await filled.adminToken();
    await filled.close();
    writeFileSync(join(workspace.path, 'config.json'), '{"limits":{"queryMs":10}}');
    const hasty = await startApp({ workspace });
    const scan = '/1.0/library/plain?filter={"text":{"$regex":"never there$"}}';
    for (const path of [scan, scan.replace('?', '/count?')]) {
      const refused = await hasty.inject('GET', path, { token });
      expectRefusal(refused, 503);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      expect(refused.body.errors[0]).toMatchObject({
        code: 'API-0004',
        message: expect.stringContaining('queryMs'),
      });
    }
    await hasty.close();
    workspace.remove();
  });

  it('of a request to arrive: 10 s for its headers, 60 s for the whole', () => {
    const { headersTimeout, requestTimeout } = app.app.server.server;
    expect([headersTimeout, requestTimeout]).toEqual([10_000, 60_000]);
  });

  it('is up: 408 in the envelope', async () => {
    const hasty = await startApp({ config: { limits: { headersSeconds: 1, requestSeconds: 1 } } });
    const url = await hasty.listen();
    const half = (text: string) => sendRaw(url, text);
    const body =
      'POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    for (const answer of await Promise.all([half('GET /hello HTTP/1.1\r\nHo'), half(body)])) {
      expect(answer).toMatch(/^HTTP\/1.1 408 .*"statusCode":408,"success":false/s);
    }
    await hasty.close();
  });
});

describe('connections', () => {
  it('that are too many get 503 in the envelope, and are closed; /health goes on', async () => {
    const narrow = await startApp({ config: { limits: { connections: 1 } } });
    const url = await narrow.listen();
    const { hostname, port } = new URL(url);
    const first = connect(Number(port), hostname);
    await once(narrow.app.server.server, 'connection');
    const headers = { authorization: `Bearer ${await narrow.adminToken()}` };
    const refused = await fetch(url + PATH, { headers });
    expectRefusal({ status: refused.status, body: await refused.json() }, 503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused.headers.get('connection')).toBe('close');
    const health = await fetch(`${url}/health?a`);
    expect([health.status, health.headers.get('connection')]).toEqual([200, 'close']);
    first.destroy();
    await expect.poll(async () => (await fetch(url + PATH, { headers })).status).toBe(200);
    await narrow.close();
  });
});

describe('headers', () => {
  it('of more than 32 KB are refused', async () => {
    const text = `GET /hello HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(33_000)}\r\n\r\n`;
    const answer = await sendRaw(await app.listen(), text);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });
});
