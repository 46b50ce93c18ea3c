// Random specifications, documents, filters, bodies, headers and query strings: every answer is a decent one. No 5xx, no
// text from inside the server, the one envelope around every refusal, nothing that hangs, and nothing changed by a refusal.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomRuns, timeoutFor } from '../contracts/random-runs.ts';
import { type InjectAnswer, startApp, type TestApp } from '../helpers/app/app.ts';
import * as content from '../helpers/fixtures/hostile-content.ts';
import * as requests from '../helpers/fixtures/hostile-requests.ts';
import * as values from '../helpers/fixtures/hostile-values.ts';
import { book, person } from '../helpers/fixtures/library.ts';

const BOOKS = '/1.0/library/books';
const CASES = 500;
/** What hangs, hangs for good: long enough for a machine that stalls. */
const DEADLINE_MS = 15_000;
const INSIDE = /node_modules|\bat .*\.[tj]s\b|SQLITE|sqlite|\/src\/|file:\/\/|\w+Error:|\[object Object\]/;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: { auth: { rateLimit: { perAddress: 100_000, perClient: 100_000 } } } });
  const { body } = await app.inject('POST', '/1.0/library/people', {
    body: [person(1), person(2), person(3)],
  });
  const authors = body.results.map(({ _id }: { _id: string }) => _id);
  const books = Array.from({ length: 30 }, (_, n) => book(n, { author: authors[n % 3] }));
  await app.inject('POST', BOOKS, { body: books });
});

afterAll(() => app.close());

/** Rejects when there is no answer within the deadline. */
async function timely(answer: Promise<InjectAnswer>): Promise<InjectAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function expectDecent({ status, body, text }: InjectAnswer, sent: string, bodiless = false): void {
  expect(status, `${sent}\n${text}`).toBeLessThan(500);
  if (status < 400 || bodiless) return;
  // What a client sent may come back in a message; only what it did not send can be ours.
  const ours = text
    .split('"')
    .filter((part) => !sent.includes(part))
    .join('"');
  expect(ours).not.toMatch(INSIDE);
  expect(body, text).toMatchObject({ statusCode: status, success: false });
  expect(body.errors.length).toBeGreaterThan(0);
  for (const item of body.errors) expect(item.message).toEqual(expect.any(String));
}

async function check<T>(arbitrary: fc.Arbitrary<T>, send: (value: T) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, send), randomRuns(CASES));
}

const options = { timeout: timeoutFor(CASES, 100) };

describe('hostile input', () => {
  it('of reads: filters and every other parameter', options, async () => {
    const paths = fc.constantFrom(
      '',
      '/count',
      '/5f43a1e2b3c4d5e6f7a8b9c0',
      '/5f43a1e2b3c4d5e6f7a8b9c0/history',
    );
    const parameters = fc.oneof(
      requests.queryString,
      content.filter.map(
        (filter) => `filter=${encodeURIComponent((JSON.stringify(filter) ?? '').toWellFormed())}`,
      ),
    );
    await check(fc.tuple(paths, parameters), async ([path, query]) => {
      const url = `${BOOKS}${path}?${query}`;
      expectDecent(await timely(app.inject('GET', url)), url);
    });
  });

  it('of documents: created, updated, deleted, and nothing changed by a refusal', options, async () => {
    const state = async () =>
      (await app.inject('GET', `${BOOKS}?count=1000&sort={"_id":1}&cache=false`)).text;
    const { body: made } = await app.inject('POST', BOOKS, { body: book(100) });
    const id = made.results[0]._id;
    const write = fc.oneof(
      fc.tuple(fc.constant('POST'), fc.constant(''), content.document),
      fc.tuple(fc.constant('POST'), fc.constant(''), fc.array(content.document, { maxLength: 3 })),
      fc.tuple(fc.constant('PUT'), fc.constant(`/${id}`), content.document),
      fc.tuple(
        fc.constant('PUT'),
        fc.constant(''),
        fc.record({ query: content.filter, update: content.document }),
      ),
      fc.tuple(
        fc.constant('DELETE'),
        fc.constant(''),
        fc.record({ query: fc.record({ title: values.scalar }) }),
      ),
      fc.tuple(fc.constant('DELETE'), fc.constant(''), values.json),
    );
    await check(write, async ([method, path, value]) => {
      const before = await state();
      const body = JSON.stringify(value) ?? '';
      const answer = await timely(app.inject(method, BOOKS + path, { body }));
      expectDecent(answer, body);
      if (answer.status >= 400) expect(await state()).toBe(before);
    });
  });

  it('of specifications', options, async () => {
    const name = fc.oneof(
      fc.constant('junk'),
      values.text.map((value) => encodeURIComponent(value.toWellFormed())),
    );
    await check(fc.tuple(name, content.specification), async ([collection, specification]) => {
      const body = JSON.stringify(specification) ?? '';
      const path = `/1.0/library/${collection}`;
      const posted = await timely(app.inject('POST', `${path}/config`, { body }));
      expectDecent(posted, body + path);
      if (posted.status !== 200) return;
      expectDecent(await timely(app.inject('GET', path)), body + path);
      expectDecent(await timely(app.inject('POST', path, { body: { title: 'x' } })), body + path);
      expectDecent(await timely(app.inject('DELETE', `${path}/config`)), path);
    });
  });

  it('of bodies, headers, methods and paths anywhere', options, async () => {
    const request = fc.record({
      method: requests.method,
      path: requests.path,
      query: requests.queryString,
      body: fc.option(values.bodyText, { nil: undefined }),
      headers: requests.headers,
      signedIn: values.mostly(fc.constant(true), fc.constant(false)),
    });
    await check(request, async ({ method, path, query, body, headers, signedIn }) => {
      // These would end the run, and have a test of their own below.
      fc.pre(
        !(/\/api\/c(lients|onfig)/.test(path) && method !== 'GET') && !(path.endsWith('/config') && signedIn),
      );
      const answer = await timely(
        app.inject(method, `${path}?${query}`, {
          ...(body === undefined ? {} : { body: body.toWellFormed() }),
          ...(signedIn ? {} : { token: null }),
          headers,
        }),
      );
      expectDecent(answer, JSON.stringify([method, path, query, body, headers]), method === 'HEAD');
    });
  });

  it('of what admins change, and of custom endpoints', options, async () => {
    const plain = { headers: { 'content-type': 'text/plain' } };
    const echo =
      'module.exports.post = (req, res) => res.json(req.body); module.exports.get = module.exports.post;';
    expect((await app.inject('POST', '/1.0/echo/config', { ...plain, body: echo })).status).toBe(200);
    await check(requests.change, async ({ method, path, body, type, signedIn }) => {
      const sent = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
      const answer = await timely(
        app.inject(method, path, {
          ...(signedIn ? {} : { token: null }),
          body: sent.toWellFormed(),
          headers: { 'content-type': type },
        }),
      );
      expectDecent(answer, JSON.stringify([method, path, sent]), method === 'HEAD');
    });
    expect((await app.inject('GET', '/1.0/echo')).status).toBe(200);
  });

  it('of logins, clients and settings', options, async () => {
    const target = fc.constantFrom('/token', '/api/clients', '/api/config', '/api/flush', '/api/status');
    await check(
      fc.tuple(
        target,
        fc.oneof(
          values.json.map((value) => JSON.stringify(value)),
          values.bodyText,
        ),
      ),
      async ([path, body]) => {
        expectDecent(await timely(app.inject('POST', path, { body: body.toWellFormed() })), body);
      },
    );
  });

  it('leaves a server that works as before', async () => {
    expect((await app.inject('GET', '/health', { token: null })).status).toBe(200);
    const { status, body } = await app.inject('GET', `${BOOKS}?filter={"title":"book 0007"}&compose=true`);
    expect(status).toBe(200);
    expect(body.results).toEqual(expect.any(Array));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
