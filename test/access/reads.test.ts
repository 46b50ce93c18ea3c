// What rules make of reads, over HTTP: documents and fields that a caller may not read are not there, in any way.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const OWN = { owner: { $caller: 'clientId' } };
const NOTES: JsonObject = {
  fields: {
    title: { type: 'String' },
    owner: { type: 'String' },
    status: { type: 'String' },
    secret: { type: 'String', access: { read: ['staff'] } },
    author: { type: 'Reference', settings: { collection: 'people' } },
  },
  settings: {
    access: {
      read: [{ to: 'anyone', where: { status: 'public' } }, { to: 'clients', where: OWN }, { to: 'staff' }],
      create: [{ to: 'clients', where: OWN }],
      update: [{ to: 'clients', where: OWN }],
    },
    storeRevisions: true,
    cache: true,
  },
};
const PEOPLE: JsonObject = {
  fields: {
    name: { type: 'String' },
    phone: { type: 'String', access: { read: ['staff'] } },
    hidden: { type: 'Boolean' },
  },
  settings: { access: { read: [{ to: 'anyone', where: { hidden: { $ne: true } } }] } },
};

let app: TestApp;
const tokens: Record<string, string | null> = { nobody: null };
const ids: Record<string, string> = {};

const read = async (caller: string, path: string) =>
  app.inject('GET', `/1.0/notes/${path}`, { token: tokens[caller] ?? null });
const titles = async (caller: string, query = '') =>
  ((await read(caller, `notes${query}`)).body as { results: JsonObject[] }).results.map(({ title }) => title);

beforeAll(async () => {
  app = await startApp({ specs: { '1.0/notes/notes': NOTES, '1.0/notes/people': PEOPLE } });
  tokens['admin'] = await app.adminToken();
  for (const [clientId, roles] of [
    ['ann', []],
    ['bob', []],
    ['sue', ['staff']],
  ] as const) {
    const body = { clientId, secret: 'a secret of a client', roles };
    expect((await app.inject('POST', '/api/clients', { body })).status).toBe(201);
    tokens[clientId] = await app.token(clientId, 'a secret of a client');
  }
  const make = async (collection: string, body: JsonObject) => {
    const answer = await app.inject('POST', `/1.0/notes/${collection}`, { body });
    return (answer.body as { results: { _id: string }[] }).results[0]!._id;
  };
  ids['eve'] = await make('people', { name: 'Eve', phone: '1', hidden: false });
  ids['max'] = await make('people', { name: 'Max', phone: '2', hidden: true });
  ids['a'] = await make('notes', {
    title: 'A',
    owner: 'ann',
    status: 'draft',
    secret: 's1',
    author: ids['eve']!,
  });
  ids['b'] = await make('notes', {
    title: 'B',
    owner: 'bob',
    status: 'public',
    secret: 's2',
    author: ids['max']!,
  });
  ids['c'] = await make('notes', {
    title: 'C',
    owner: 'bob',
    status: 'draft',
    secret: 's3',
    author: ids['eve']!,
  });
});
afterAll(() => app.close());

test('lists, counts and totals hold what the rules allow', async () => {
  expect(await titles('nobody')).toEqual(['B']);
  expect(await titles('ann')).toEqual(['A', 'B']);
  expect(await titles('bob')).toEqual(['B', 'C']);
  expect(await titles('sue')).toEqual(['A', 'B', 'C']);
  expect(await titles('admin')).toEqual(['A', 'B', 'C']);
  const counts = await Promise.all(
    ['nobody', 'ann', 'bob', 'sue'].map(async (caller) => {
      const { body } = await read(caller, 'notes/count');
      return (body as { metadata: { totalCount: number } }).metadata.totalCount;
    }),
  );
  expect(counts).toEqual([1, 2, 2, 3]);
});

test('a document that may not be read is answered as one that does not exist', async () => {
  const refused = await read('ann', `notes/${ids['c']}`);
  const missing = await read('ann', `notes/${'f'.repeat(24)}`);
  expect([refused.status, refused.text]).toEqual([404, missing.text]);
  expect((await read('bob', `notes/${ids['c']}`)).status).toBe(200);
});

test('a hidden field is unknown, and never sent', async () => {
  for (const path of [
    'notes',
    'notes?compose=true',
    `notes/${ids['b']}?compose=all`,
    'notes?fields={"secret":1,"title":1}',
    `notes/${ids['a']}/history`,
    'notes?includeHistory=true',
  ]) {
    const answer = await read('ann', path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.text).not.toMatch(/"secret":"|"phone"/);
  }
  const hidden = await read('ann', 'notes?filter={"secret":"s1"}');
  const unknown = await read('ann', 'notes?filter={"sekret":"s1"}');
  expect([hidden.status, hidden.text]).toEqual([400, unknown.text.replaceAll('sekret', 'secret')]);
  expect((await read('ann', 'notes?filter={"author.phone":"1"}')).status).toBe(400);
  expect((await read('sue', 'notes?filter={"secret":"s1"}')).text).toContain('"secret":"s1"');
  expect((await read('sue', 'notes?compose=true')).text).toContain('"phone":"1"');
});

test('composition leaves the id of what may not be read, and filters do not look behind it', async () => {
  const { results } = (await read('sue', 'notes?compose=true')).body as { results: JsonObject[] };
  expect(results.map(({ author }) => typeof author)).toEqual(['object', 'string', 'object']);
  expect(await titles('sue', '?filter={"author.name":"Max"}')).toEqual([]);
  expect(await titles('admin', '?filter={"author.name":"Max"}')).toEqual(['B']);
  expect(await titles('sue', '?filter={"author.name":null}')).toEqual(['B']);
});

test('a revision is for those who may see the history', async () => {
  expect((await read('nobody', `notes/${ids['b']}/history`)).status).toBe(401);
  expect((await read('ann', `notes/${ids['b']}/history`)).status).toBe(403);
  expect((await read('ann', `notes/${ids['c']}/history`)).status).toBe(404);
  expect((await read('ann', `notes/${ids['a']}/history`)).body).toMatchObject({ results: [{ title: 'A' }] });
  const { results } = (await read('ann', 'notes?includeHistory=true')).body as {
    results: { history: unknown[] }[];
  };
  expect(results.map(({ history }) => typeof history[0])).toEqual(['object', 'string']);
});

test('statistics are for those who may read everything', async () => {
  expect((await read('sue', 'notes/stats')).status).toBe(200);
  expect((await read('ann', 'notes/stats')).status).toBe(403);
  expect((await read('nobody', 'notes/stats')).status).toBe(401);
});
