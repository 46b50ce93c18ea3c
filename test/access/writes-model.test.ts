// Posted code writes as its caller: by the same rules.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

const mine = [{ to: 'clients', where: { owner: { $caller: 'clientId' } } }];
const SPECS = {
  '1.0/library/notes': {
    fields: {
      owner: { type: 'String' },
      title: { type: 'String' },
      grade: { type: 'String', access: { write: ['editors'] } },
      secret: { type: 'String', access: { read: ['editors'] } },
    },
    settings: { access: { read: mine, create: mine, update: mine, delete: mine } },
  },
};

const SOURCE = `const { Model } = require('@dadi/api');
module.exports.post = (req, res, next) => {
  const { call, args } = req.body;
  Model('notes')[call](...args, (err, done) => (err ? next(err) : res.json(done ?? {})), req);
};`;
const POLICY = {
  version: 1,
  grants: {
    collections: [
      { name: '1.0/library/notes', actions: ['find', 'create', 'update', 'delete'], as: 'caller' },
    ],
  },
};

let server: EndpointServer;
let token: string;
const NOTES = '/1.0/library/notes';

beforeAll(async () => {
  server = await startEndpointServer({ specs: SPECS });
  await server.endpoint('notes-code', SOURCE, POLICY);
  token = await server.userToken('ann', {
    endpoints: [{ path: 'notes-code' }],
    actions: ['read', 'create', 'update', 'delete'],
  });
});
afterAll(() => server.close());

const call = (name: string, ...args: readonly unknown[]) =>
  server.call('POST', '/1.0/notes-code', { token, body: { call: name, args } });
const all = async (): Promise<readonly JsonObject[]> =>
  (await server.get(`${NOTES}?sort=title`)).body.results;

test('Model as its caller creates, updates and deletes what the rules allow, and shows what the caller may read', async () => {
  const own = await call('create', { owner: 'ann', title: 'own', secret: 's' });
  expect([own.status, own.text.includes('secret')]).toEqual([200, false]);
  await server.call('POST', NOTES, { body: { owner: 'bob', title: 'other', grade: 'A' } });

  expect((await call('create', { owner: 'bob' })).status).toBe(403);
  expect((await call('create', [{ owner: 'ann' }, { owner: 'ann', grade: 'A' }])).status).toBe(403);
  expect((await call('update', { title: 'own' }, { owner: 'bob' })).status).toBe(403);
  expect((await call('update', { title: 'own' }, { grade: 'B' })).status).toBe(403);
  expect((await call('update', { secret: 's' }, { title: 'x' })).status).toBe(400);
  const both = await call('update', { title: { $in: ['own', 'other'] } }, { title: 'new' });
  expect([both.status, both.body.results.length]).toEqual([200, 1]);
  expect(await all()).toMatchObject([
    { owner: 'ann', title: 'new', v: 2 },
    { owner: 'bob', v: 1 },
  ]);

  expect((await call('delete', { title: { $in: ['new', 'other'] } })).status).toBe(200);
  expect(await all()).toMatchObject([{ owner: 'bob', v: 1 }]);
});
