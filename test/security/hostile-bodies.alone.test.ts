// No body holds up the server: whatever is posted, wherever, everybody else is served in between.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import {
  filled,
  hostileDocuments,
  hostileTexts,
  MOST_BYTES,
  members,
} from '../helpers/fixtures/hostile-values.ts';
import { longestBlockMs, TRIES } from '../helpers/server-process/timing.ts';

/** Milliseconds of processor time that a request may hold the event loop for at once. */
const MOST_MS = 100;

const BOOKS = '/1.0/library/books';
const UNKNOWN = 'ffffffffffffffffffffffff';
const SPECS = {
  '1.0/library/books': {
    fields: {
      title: {},
      mixed: { type: 'Mixed' },
      of: { type: 'Reference', settings: { collection: 'books' } },
    },
    settings: { storeRevisions: true, index: [{ keys: { title: 1 } }] },
  },
};

/** Where ten megabytes may be sent, with what may be said of them. */
const DOCUMENTS = [
  ['POST', BOOKS, [200, 400, 413]],
  ['PUT', BOOKS, [400, 413]],
  ['DELETE', BOOKS, [204, 400, 413]],
  ['PUT', `${BOOKS}/ID`, [200, 400, 413]],
  ['DELETE', `${BOOKS}/${UNKNOWN}`, [400, 404, 413]],
] as const;

/** Where so many bytes are enough. */
const OTHERS = [
  ['POST', '/1.0/library/films/config', 1_048_576],
  ['POST', '/api/config', 262_144],
  ['POST', '/api/clients', 1_048_576],
  ['PUT', '/api/clients/someone', 1_048_576],
  ['PUT', '/api/clients/someone/secret', 16_384],
  ['POST', '/api/flush', 16_384],
  ['POST', '/api/status', 16_384],
  ['POST', '/token', 10_240],
] as const;

let app: TestApp;
let id: string;

beforeAll(async () => {
  // What is measured here is not how long a busy machine takes.
  app = await startApp({ specs: SPECS, config: { limits: { queryMs: 120_000 } } });
  const { body } = await app.inject('POST', BOOKS, { body: { title: 'x' } });
  id = body.results[0]._id;
});

afterAll(() => app.close());

/** Stands for a number that is another one at each try, so that nothing the server remembers of a body makes the next try cheap. */
const TRY = '{{try}}';

/** `held` is what the server does alone: the body is there as bytes before, and the answer is read afterwards. */
async function send(method: string, path: string, body: string, headers = {}) {
  const payloads = body.includes(TRY)
    ? Array.from({ length: TRIES }, (_, n) => Buffer.from(body.replaceAll(TRY, String(n))))
    : Array(TRIES).fill(Buffer.from(body));
  const authorization = `Bearer ${await app.adminToken()}`;
  const request = {
    method: method as 'POST',
    url: path.replace('ID', id),
    headers: { authorization, 'content-type': 'application/json', ...headers },
  };
  let answer: Awaited<ReturnType<typeof app.app.server.inject>> | undefined;
  const held = await longestBlockMs(MOST_MS, async (attempt) => {
    answer = await app.app.server.inject({ ...request, payload: payloads[attempt] });
  });
  return { status: answer?.statusCode, text: answer?.body ?? '', held };
}

it.each([...hostileTexts()])('ten megabytes of %s are answered in small pieces', async (_, text) => {
  for (const [method, path, statuses] of DOCUMENTS) {
    const { status, held } = await send(method, path, text);
    expect(statuses, `${method} ${path}`).toContain(status);
    expect(held, `${method} ${path}`).toBeLessThan(MOST_MS);
  }
});

it.each(OTHERS)('%s %s takes no more than %i bytes', async (method, path, most) => {
  for (const bytes of [most + 1, MOST_BYTES]) {
    const { status, held } = await send(method, path, filled('[],', '[', ']', bytes).padEnd(bytes));
    expect(status).toBe(413);
    expect(held).toBeLessThan(MOST_MS);
  }
  for (const within of [
    filled('[],', '[', ']', most),
    `{${members(Math.min(30_000, Math.floor(most / 12)))}}`,
  ]) {
    const { status, held } = await send(method, path, within);
    expect([200, 400, 401, 404, 413]).toContain(status);
    expect(held).toBeLessThan(MOST_MS);
  }
});

describe('what is just within the bounds', () => {
  it.each([...hostileDocuments()])('is written in small pieces: %s', async (_, { body, status }) => {
    const answer = await send('POST', BOOKS, body);
    expect(answer.status, answer.text.slice(0, 500)).toBe(status);
    expect(answer.held).toBeLessThan(MOST_MS);
  });

  const pattern = (n: number) => ({
    validation: { regex: { pattern: `${'[\\D\\W]'.repeat(140)}${n}${TRY}`, flags: 'i' } },
  });
  const patterns = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, pattern(n)]));

  it.each([
    ['POST', '/1.0/library/films/config', JSON.stringify({ fields: patterns, settings: {} }), 200],
    ['POST', '/1.0/library/films/config', `{"fields":{"a${TRY}":{}},"settings":{${members(30_000)}}}`, 200],
    ['POST', '/api/config', `{${'"cache":{"ttl":1},'.repeat(10_000)}"cache":{"ttl":1${TRY}}}`, 200],
    ['DELETE', BOOKS, `{"query":{"title":{"$in":[${Array(99_000).fill('"none"')}]}}}`, 204],
  ])('%s %s: %#', async (method, path, body, status) => {
    const answer = await send(method, path, body);
    expect(answer.status, answer.text.slice(0, 500)).toBe(status);
    expect(answer.held).toBeLessThan(MOST_MS);
  });
});

it('an answer tells a hundred of half a million problems', async () => {
  const documents = filled('{"a":1,"b":1,"c":1},', '[', ']', 150_000);
  const { status, text } = await send('POST', BOOKS, documents);
  expect(status).toBe(400);
  const { errors } = JSON.parse(text) as { errors: { message: string }[] };
  expect(errors).toHaveLength(101);
  expect(errors.at(-1)?.message).toMatch(/^\d+ more problems are not listed$/);
  expect(text.length).toBeLessThan(20_000);
});

describe('the login', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each([
    ['10,241 bytes', 'a'.repeat(10_241), 413],
    ['a million pairs', 'a&'.repeat(1_000_000), 413],
    ['ten megabytes of pairs', 'a&'.repeat(MOST_BYTES / 2), 413],
    ['as many pairs as there is room for', 'a&'.repeat(5120), 400],
  ])('takes no form of %s', async (_, form, expected) => {
    const { status, held } = await send('POST', '/token', form, FORM);
    expect(status).toBe(expected);
    expect(held).toBeLessThan(MOST_MS);
  });

  it('takes the longest credentials, however they are encoded', async () => {
    const secret = '✓'.repeat(1024);
    const clientId = `${'~:@+'.repeat(49)}~~~~`.replace(/^~/, 'a');
    expect((await app.inject('POST', '/api/clients', { body: { clientId, secret } })).status).toBe(201);
    const escaped = secret.replaceAll('✓', '\\u2713');
    const bodies: [string, object][] = [
      [`clientId=${encodeURIComponent(clientId)}&secret=${encodeURIComponent(secret)}`, FORM],
      [`{"clientId":"${clientId}","secret":"${escaped}"}`, {}],
    ];
    for (const [body, headers] of bodies) {
      expect(
        (await app.inject('POST', '/token', { token: null, body, headers: { ...headers } })).status,
      ).toBe(200);
    }
  });
});
