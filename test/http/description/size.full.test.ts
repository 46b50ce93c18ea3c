// The description of a large site: made in small steps, within bounds of memory, and once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../src/auth/clients/client.ts';
import { describeApiInPieces } from '../../../src/http/description/describe-api.ts';
import type { DescribedApi } from '../../../src/http/description/described-parts.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { LiveModule } from '../../../src/modules/model/module-types.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

const COLLECTIONS = 300;
const ENDPOINTS = 2000;
const TYPES = ['String', 'Number', 'Boolean', 'DateTime', 'Mixed', 'Reference'] as const;

const fieldOf = (collection: number, field: number): JsonObject => {
  const type = TYPES[field % TYPES.length] ?? 'String';
  const target = `c${(collection + field) % COLLECTIONS}`;
  const settings = type === 'Reference' ? { settings: { collection: target } } : {};
  return { type, label: 'A field', comments: 'What it is for', ...settings };
};

const SPECS = Object.fromEntries(
  Array.from({ length: COLLECTIONS }, (_, n): [string, JsonObject] => {
    const fields = Array.from({ length: 10 }, (_, field) => [`field${field}`, fieldOf(n, field)]);
    return [
      `1.0/big/c${n}`,
      { fields: Object.fromEntries(fields), settings: { storeRevisions: n % 2 === 0 } },
    ];
  }),
);

const OPENAPI = JSON.stringify({
  summary: 'Counts',
  parameters: [{ name: 'from', in: 'query', schema: { type: 'integer' } }],
  responses: { 200: { description: 'n', content: { 'application/json': { schema: { type: 'integer' } } } } },
});

const endpoint = (n: number): LiveModule => ({
  address: { kind: 'endpoint', apiVersion: '1.0', name: `e${n}` },
  path: `/1.0/e${n}`,
  state: 'active',
  methods: ['GET', 'POST'],
  authenticate: n % 2 === 0,
  openapi: { GET: OPENAPI },
  postedBy: null,
  postedAt: 0,
});

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: SPECS });
  await app.app.started;
});
afterAll(() => app.close());

/** Turns of the event loop that began while this was done. */
async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isDone = true;
  return { turns, result };
}

it('the description of 300 collections is made in steps, once for each caller, and of megabytes', async () => {
  const token = await app.adminToken();
  const read = () => app.inject('GET', '/docs/openapi.json', { token });
  const first = await turnsDuring(() => Promise.all([read(), read(), read()]));
  const characters = first.result[0]?.text.length ?? 0;
  expect(characters).toBeGreaterThan(3_000_000);
  expect(first.turns).toBeGreaterThan(20);
});

it('2,000 endpoints are described in steps', async () => {
  const modules = Array.from({ length: ENDPOINTS }, (_, n) => endpoint(n));
  const none = {
    list: () => [],
    get: () => undefined,
    holdsRecords: () => false,
    isRevisionCollection: () => false,
  };
  const api: DescribedApi = {
    routes: [],
    registry: none,
    modules: { list: () => modules },
    version: '1',
    title: 't',
    publicUrl: null,
    media: { enabled: true, public: false },
  };
  const client: Client = { id: 'a', clientId: 'a', accessType: 'admin', permissions: null, roles: [] };
  const caller = {} as never;
  const { turns, result } = await turnsDuring(() =>
    describeApiInPieces(api, { client, caller, anonymous: caller }),
  );
  expect(Object.keys(JSON.parse(result.join('')).paths)).toHaveLength(ENDPOINTS);
  expect(turns).toBeGreaterThan(1);
});
