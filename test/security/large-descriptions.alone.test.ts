// No site makes its API description a burden: it is made and sent in small pieces, within bounds, once for each caller, and whatever
// code and specifications say in it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../src/auth/clients/client.ts';
import { describeApiInPieces } from '../../src/http/description/describe-api.ts';
import type { DescribedApi } from '../../src/http/description/described-parts.ts';
import { textLength } from '../../src/lib/chunked-text.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { LiveModule } from '../../src/modules/model/module-types.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

/** Milliseconds of processor time that a request may hold the event loop for at once. */
const MOST_MS = 100;
const PATH = '/docs/openapi.json';
const COLLECTIONS = 150;

const fields = Object.fromEntries(
  Array.from({ length: 100 }, (_, n): [string, JsonObject] => [
    `field${n}`,
    {
      comments: 'x'.repeat(100),
      ...(n % 6 === 0 && { type: 'Reference', settings: { collection: `c${n}` } }),
    },
  ]),
);
const SPECS = Object.fromEntries(
  Array.from({ length: COLLECTIONS }, (_, n): [string, JsonObject] => [
    `1.0/big/c${n}`,
    { fields, settings: { storeRevisions: true } },
  ]),
);

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: SPECS, config: { limits: { queryMs: 120_000 } } });
  await app.app.started;
}, 120_000);
afterAll(() => app.close());

const endpoint = (n: number, text: JsonObject, path = `/1.0/e${n}`): LiveModule => ({
  address: { kind: 'endpoint', apiVersion: '1.0', name: `e${n}` },
  path,
  state: 'active',
  methods: ['GET'],
  authenticate: false,
  openapi: { GET: JSON.stringify(text) },
  postedBy: null,
  postedAt: 0,
});

const describeEndpoints = (modules: readonly LiveModule[]) => {
  const registry = {
    list: () => [],
    get: () => undefined,
    holdsRecords: () => false,
    isRevisionCollection: () => false,
  };
  const api: DescribedApi = {
    routes: [],
    registry,
    modules: { list: () => modules },
    version: '1',
    title: 't',
    publicUrl: null,
    media: { enabled: true, public: false },
  };
  const client: Client = {
    id: 'a'.repeat(24),
    clientId: 'a',
    accessType: 'admin',
    permissions: null,
    roles: [],
  };
  const caller = {} as never;
  return describeApiInPieces(api, { client, caller, anonymous: caller });
};

const long = { description: 'x'.repeat(60_000), responses: { 200: { description: 'n' } } };

it.each([
  ['2,000 endpoints that say 60 KB of themselves', 2000, ''],
  ['10,000 of which each has two paths', 10_000, '/:id?'],
])(
  '%s are described in small pieces, all of them, and in megabytes',
  async (_, count, rest) => {
    const modules = Array.from({ length: count }, (__, n) => endpoint(n, long, `/1.0/e${n}${rest}`));
    let pieces: readonly string[] = [];
    const held = await longestBlockMs(MOST_MS, async () => {
      pieces = await describeEndpoints(modules);
    });
    expect(held).toBeLessThan(MOST_MS);
    expect(textLength(pieces)).toBeLessThan(33_000_000);
    const document = JSON.parse(pieces.join(''));
    expect(Object.keys(document.paths)).toHaveLength(rest === '' ? count : 2 * count);
    expect(document.info.description).toContain('Parts are left out');
  },
  120_000,
);

it('an example that looks like a reference to a component breaks no description', async () => {
  const names = ['constructor', '__proto__', 'toString', 'no such thing', 'a"b', 'absent'];
  const example = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const text = { responses: { 200: { description: 'n', content: { 'application/json': { example } } } } };
  const { components } = JSON.parse((await describeEndpoints([endpoint(1, text)])).join(''));
  for (const [name, schema] of Object.entries(components.schemas)) {
    expect(name).toMatch(/^[\w.-]+$/);
    expect(schema, name).toBeTypeOf('object');
  }
});

it('megabytes are made in small pieces, and are sent again as they are for as long as nothing changes', async () => {
  const token = await app.adminToken();
  const read = (headers = {}) => app.inject('GET', PATH, { token, headers });
  const held = await longestBlockMs(MOST_MS, () => read({ 'if-none-match': '*' }));
  expect(held).toBeLessThan(MOST_MS);
  const first = await read();
  expect(first.text.length).toBeGreaterThan(5_000_000);
  expect(JSON.parse(first.text).info.description).not.toContain('left out');
  const again = await read({ 'if-none-match': String(first.headers['etag']) });
  expect(again.status).toBe(304);
}, 120_000);

it('of a thousand requests that wait for a description more are refused, and told when to come again', async () => {
  const body = { clientId: 'other', secret: 'correct horse' };
  expect((await app.inject('POST', '/api/clients', { body })).status).toBe(201);
  const { accessToken: token } = (await app.inject('POST', '/token', { body })).body;
  const read = () => app.inject('GET', PATH, { token, headers: { 'if-none-match': '*' } });
  const answers = await Promise.all(Array.from({ length: 1010 }, read));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(9);
  expect(refused[0]?.headers['retry-after']).toBeDefined();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([304, 503]));
}, 120_000);
