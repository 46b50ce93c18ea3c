// End users of an identity provider: what they may do, under what name, and what stays closed to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ACME,
  claimsAt,
  type KeyServer,
  keySetOf,
  newKey,
  sign,
  startKeyServer,
} from '../auth/issuers/identity-provider.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { upload } from '../helpers/app/media-server.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const TEXT = { text: { type: 'String' } } as const;
const own = { createdBy: { $caller: 'clientId' } };
const SPECS = {
  '1.0/site/notes': {
    fields: {
      ...TEXT,
      team: { type: 'String' },
      secret: { type: 'String', access: { read: ['user:acme:bob'] } },
    },
    settings: {
      access: {
        read: [
          { to: 'clients', where: own },
          { to: 'clients', where: { team: { $in: [{ $caller: 'roles' }] } } },
        ],
        create: [{ to: ['author', 'user:acme:bob'] }],
        update: [{ to: 'clients', where: own }],
      },
    },
  },
  '1.0/site/closed': { fields: TEXT, settings: {} },
  '1.0/site/open': { fields: TEXT, settings: { authenticate: ['POST'] } },
  '1.0/site/pictures': {
    fields: {},
    settings: { type: 'media', access: { read: [{ to: 'anyone' }], create: [{ to: 'author' }] } },
  },
};

const key = newKey();
let keys: KeyServer;
let server: EndpointServer;

const tokenOf = (sub: string, roles: readonly string[] = [], more: object = {}) =>
  sign(claimsAt(Date.now(), { sub, realm: { roles }, ...more }), { key });

beforeAll(async () => {
  keys = await startKeyServer(keySetOf(key));
  const issuers = [{ ...ACME, jwksUrl: keys.url, roles: 'realm.roles' }];
  server = await startEndpointServer({ specs: SPECS, config: { auth: { issuers } } });
});

afterAll(async () => {
  await server.close();
  await keys.stop();
});

const notPermitted = { status: 401, body: { errors: [{ code: 'NOT_PERMITTED' }] } };
const forbidden = { status: 403, body: { errors: [{ code: 'NOT_PERMITTED' }] } };

describe('in a collection with access rules, a user of an identity provider', () => {
  it('is meant by role, by name and as one of the clients, and writes under the name of the issuer', async () => {
    const ann = await tokenOf('ann', ['author', 'red']);
    const created = await server.call('POST', '/1.0/site/notes', {
      token: ann,
      body: { text: 'a', team: 'blue' },
    });
    expect(created.status).toBe(200);
    expect(created.body.results[0].createdBy).toBe('acme:ann');
    const { _id } = created.body.results[0];
    const textsOf = async (token: string) =>
      (await server.get('/1.0/site/notes', { token })).body.results.map(({ text }: { text: string }) => text);
    expect(await textsOf(ann)).toEqual(['a']);
    expect(await textsOf(await tokenOf('eve', ['red']))).toEqual([]);
    expect(await textsOf(await tokenOf('eve', ['blue']))).toEqual(['a']);
    expect(
      (await server.call('PUT', `/1.0/site/notes/${_id}`, { token: ann, body: { text: 'b' } })).status,
    ).toBe(200);
    const eve = await tokenOf('eve', ['blue']);
    expect(
      await server.call('PUT', `/1.0/site/notes/${_id}`, { token: eve, body: { text: 'c' } }),
    ).toMatchObject(forbidden);
    expect(await server.call('DELETE', `/1.0/site/notes/${_id}`, { token: ann })).toMatchObject(forbidden);
    expect(await server.call('POST', '/1.0/site/notes', { token: eve, body: { text: 'd' } })).toMatchObject(
      forbidden,
    );
    const bob = await tokenOf('bob');
    const byName = await server.call('POST', '/1.0/site/notes', {
      token: bob,
      body: { text: 'e', secret: 's' },
    });
    expect(byName.body.results[0]).toMatchObject({ createdBy: 'acme:bob', secret: 's' });
  });

  it('is not a client of that name, nor is one a user', async () => {
    expect(
      await server.call('POST', '/1.0/site/notes', { token: await tokenOf('x', ['client:bob']), body: {} }),
    ).toMatchObject(forbidden);
    for (const clientId of ['acme:bob', 'acme:']) {
      const refused = await server.call('POST', '/api/clients', { body: { clientId } });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'clientId' }] } });
    }
    const bob = await server.userToken('bob');
    expect(await server.call('POST', '/1.0/site/notes', { token: bob, body: { text: 'x' } })).toMatchObject(
      forbidden,
    );
  });
});

describe('without access rules, a user of an identity provider', () => {
  it('may do what anyone may, and no more', async () => {
    const token = await tokenOf('ann', ['author', 'admin'], { permissions: null, accessType: 'admin' });
    expect((await server.get('/1.0/site/open', { token })).status).toBe(200);
    expect(await server.call('POST', '/1.0/site/open', { token, body: { text: 'a' } })).toMatchObject(
      notPermitted,
    );
    const closed = await server.get('/1.0/site/closed', { token });
    expect(closed).toMatchObject(notPermitted);
    expect(closed.headers.get('www-authenticate')).toBe('Bearer realm="/1.0/site/closed"');
    expect((await server.get('/api/collections', { token })).body.collections).not.toContainEqual(
      expect.objectContaining({ slug: 'closed' }),
    );
  });

  it('is never an admin, whatever its name and roles', async () => {
    const requests = [
      ['GET', '/api/clients'],
      ['POST', '/api/clients'],
      ['GET', '/api/config'],
      ['POST', '/api/flush'],
      ['GET', '/api/audit'],
      ['GET', '/api/hooks'],
      ['GET', '/api/status'],
      ['GET', '/api/endpoints'],
      ['GET', '/1.0/site/notes/config'],
      ['POST', '/1.0/anything/config'],
    ] as const;
    for (const sub of [ADMIN.clientId, 'admin'])
      for (const [method, path] of requests)
        expect(await server.call(method, path, { token: await tokenOf(sub, ['admin']) }), path).toMatchObject(
          notPermitted,
        );
  });

  it('calls endpoints that need no token, which see its name, and no other', async () => {
    const source = 'module.exports.get = (req, res) => res.json(req.client);';
    const path = await server.endpoint(
      'who',
      `${source} module.exports.model = { settings: { authenticate: false } };`,
    );
    const token = await tokenOf('ann', ['author']);
    const { body } = await server.get(path, { token });
    expect(body).toEqual({ id: 'acme:ann', clientId: 'acme:ann', accessType: 'user' });
    const guarded = await server.endpoint('guarded', source);
    expect(await server.get(guarded, { token })).toMatchObject(notPermitted);
    expect((await server.get(guarded, { token: null })).status).toBe(401);
  });
});

it('code that acts as its caller acts as the user of an identity provider', async () => {
  const source = `
    module.exports.get = async (req, res) => res.json(await Model('notes').create({ text: 'by code' }));
    module.exports.model = { settings: { authenticate: false } };`;
  const grant = { name: '1.0/site/notes', actions: ['find', 'create'], as: 'caller' };
  const path = await server.endpoint('writer', source, { version: 1, grants: { collections: [grant] } });
  const { body } = await server.get(path, { token: await tokenOf('carl', ['author']) });
  expect(body.results).toMatchObject([{ text: 'by code', createdBy: 'acme:carl' }]);
  const other = await server.get(path, { token: await tokenOf('carl') });
  expect(other.status).not.toBe(200);
});

it('a client that has the id of a user, made before the issuer was configured, gets no token, and code cannot act as it', async () => {
  const workspace = createWorkspace(SPECS, { sandbox: { policyFile: 'ceilings.json' } });
  const grant = { name: '1.0/site/closed', actions: ['find'], as: 'client:acme:old' };
  const ceilings = { version: 1, grants: { collections: [grant] } };
  writeFileSync(join(workspace.cwd, 'ceilings.json'), JSON.stringify(ceilings));
  const source = `
    module.exports.get = async (req, res) => res.json(await Model('closed').find({}));
    module.exports.model = { settings: { authenticate: false } };`;
  const before = await startEndpointServer({ workspace });
  const token = await before.userToken('acme:old');
  const path = await before.endpoint('reader', source, { version: 1, grants: { collections: [grant] } });
  const reads = async (app: EndpointServer) =>
    [
      (await app.get(path, { token: null })).status,
      (await app.get('/1.0/site/closed', { token })).status,
    ] as const;
  expect(await reads(before)).toEqual([200, 200]);
  await before.close();
  const issuers = JSON.stringify([{ ...ACME, jwksUrl: keys.url }]);
  const after = await startEndpointServer({ workspace, env: { CLOISTER_AUTH_ISSUERS: issuers } });
  try {
    expect(await reads(after)).toEqual([500, 401]);
    await expect(after.token('acme:old', 'a secret of a test client')).rejects.toThrow('401');
  } finally {
    await after.close();
    workspace.remove();
  }
});

it('a signed upload keeps the roles of its signing', async () => {
  const token = await tokenOf('ann', ['author']);
  const path = '/1.0/site/pictures/sign';
  const body = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
  expect(await server.inject('POST', path, { token: await tokenOf('ann'), body })).toMatchObject({
    status: 403,
  });
  const signed = await server.inject('POST', path, { token, body });
  expect(signed.status).toBe(200);
  const stored = await upload(server, signed.body.url);
  expect([stored.status, stored.body.results[0].createdBy]).toEqual([201, 'acme:ann']);
});

describe('a token that names an identity provider', () => {
  it('is 401 on every route when it is bad, also on public ones', async () => {
    const bad = `${(await tokenOf('ann')).slice(0, -4)}AAAA`;
    for (const path of ['/1.0/site/open', '/1.0/site/notes', '/nowhere', '/favicon.ico']) {
      const { status, headers } = await server.get(path, { token: bad });
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('invalid_token'),
      ]);
    }
    for (const path of ['/hello', '/health'])
      expect((await server.get(path, { token: bad })).status).toBe(200);
  });

  it('is not one of ours: an issuer cannot speak for a client, nor our secret for a user', async () => {
    const asClient = await sign(
      { sub: ADMIN.clientId, aud: 'cloister:access', exp: Math.floor(Date.now() / 1000) + 300, stamp: 's' },
      { key },
    );
    expect((await server.get('/api/clients', { token: asClient })).status).toBe(401);
    const [, payload = ''] = (await server.adminToken()).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).not.toHaveProperty('iss');
  });

  it('is 503 with Retry-After while its issuer is away; all others are served', async () => {
    const away = { ...ACME, jwksUrl: 'http://127.0.0.1:1/jwks' };
    const lone = await startEndpointServer({ specs: SPECS, config: { auth: { issuers: [away] } } });
    try {
      const token = await tokenOf('ann');
      const answer = await lone.get('/1.0/site/open', { token });
      expect(answer).toMatchObject({
        status: 503,
        body: { errors: [{ code: 'API-0004', title: expect.stringContaining('identity provider') }] },
      });
      expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
      expect(answer.text).not.toContain('127.0.0.1');
      expect((await lone.get('/1.0/site/open')).status).toBe(200);
      expect((await lone.get('/1.0/site/open', { token: null })).status).toBe(200);
      expect((await lone.get('/health', { token })).status).toBe(200);
    } finally {
      await lone.close();
    }
  });
});
