// No body holds up the server: whatever is posted, wherever, everybody else is served in between.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app.ts';
import { heldBy } from '../helpers/held-by.ts';
import { filled, hostileDocuments, hostileTexts, MOST_BYTES, members } from '../helpers/hostile-bodies.ts';

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

/** Where a body may be sent, with what may be said of one of ten megabytes. */
const ROUTES = [
  ['POST', BOOKS, [200, 400, 413]],
  ['PUT', BOOKS, [400, 413]],
  ['DELETE', BOOKS, [204, 400, 413]],
  ['PUT', `${BOOKS}/ID`, [200, 400, 413]],
  ['DELETE', `${BOOKS}/${UNKNOWN}`, [400, 404, 413]],
  ['POST', '/1.0/library/films/config', [413]],
  ['POST', '/api/config', [413]],
  ['POST', '/api/clients', [413]],
  ['PUT', '/api/clients/someone', [413]],
  ['PUT', '/api/clients/someone/secret', [413]],
  ['POST', '/api/flush', [413]],
  ['POST', '/api/status', [413]],
  ['PUT', '/1.0/report/policy', [404]],
  ['POST', '/1.0/report/config', [415]],
  ['POST', '/token', [413]],
] as const;

let app: TestApp;
let id: string;

beforeAll(async () => {
  app = await startApp({ specs: SPECS });
  const { body } = await app.inject('POST', BOOKS, { body: { title: 'x' } });
  id = body.results[0]._id;
});

afterAll(() => app.close());

async function send(method: string, path: string, body: string, headers = {}) {
  const token = await app.adminToken();
  let status = 0;
  let text = '';
  const held = await heldBy(async () => {
    ({ status, text } = await app.inject(method, path.replace('ID', id), { token, body, headers }));
  });
  return { status, text, held };
}

describe.each([...hostileTexts()])('ten megabytes of %s', (_, text) => {
  it('are answered in small pieces on every route', async () => {
    for (const [method, path, statuses] of ROUTES) {
      const { status, held } = await send(method, path, text);
      expect(statuses, `${method} ${path}`).toContain(status);
      expect(held, `${method} ${path}`).toBeLessThan(MOST_MS);
    }
  });
});

describe('what is just within the bounds', () => {
  it.each([...hostileDocuments()])('is written in small pieces: %s', async (_, { body, status }) => {
    const answer = await send('POST', BOOKS, body);
    expect(answer.status, answer.text.slice(0, 500)).toBe(status);
    expect(answer.held).toBeLessThan(MOST_MS);
  });

  const pattern = (n: number) => ({
    validation: { regex: { pattern: `${'[\\D\\W]'.repeat(140)}${n}`, flags: 'i' } },
  });
  const patterns = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, pattern(n)]));

  it.each([
    ['POST', '/1.0/library/films/config', JSON.stringify({ fields: patterns, settings: {} }), 200],
    ['POST', '/1.0/library/films/config', `{"fields":{"a":{}},"settings":{${members(30_000)}}}`, 200],
    ['POST', '/api/config', `{${members(20_000)}}`, 400],
    ['POST', '/api/config', `{${'"cache":{"ttl":1},'.repeat(10_000)}"site":1}`, 200],
    ['POST', '/api/clients', `{${members(30_000)}}`, 400],
    ['DELETE', BOOKS, `{"query":{"title":{"$nin":[${Array(99_000).fill('"x"')}]}}}`, 204],
  ])('%s %s: %#', async (method, path, body, status) => {
    const answer = await send(method, path, body);
    expect(answer.status, answer.text.slice(0, 500)).toBe(status);
    expect(answer.held).toBeLessThan(MOST_MS);
  });
});

it('tells a hundred of half a million problems', async () => {
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
