// Roles and permissions of clients over `/api/clients`: what is accepted and shown, and that it is in force with the answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/auth/audit/audit-entry.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

const SECRET = 'a secret for one client';
const NOTES = '/1.0/library/notes';
const STAFF = '/1.0/library/staff';
const FIELDS = { title: { type: 'String' } };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    config: { cache: true },
    specs: {
      '1.0/library/notes': { fields: FIELDS, settings: { storeRevisions: true } },
      '1.0/other/notes': { fields: FIELDS, settings: {} },
      '1.0/library/staff': {
        fields: FIELDS,
        settings: { access: { read: [{ to: 'editor' }], create: [{ to: ['editor', 'author'] }] } },
      },
    },
  });
});

afterAll(() => app.close());

const create = (clientId: string, more: JsonObject = {}) =>
  app.inject('POST', '/api/clients', { body: { clientId, secret: SECRET, ...more } });
const put = (clientId: string, body: JsonObject) => app.inject('PUT', `/api/clients/${clientId}`, { body });
const shown = async (clientId: string) =>
  (await app.inject('GET', `/api/clients/${clientId}`)).body.results[0];

/** The status of reading and of creating a document. */
async function statuses(token: string, path: string): Promise<readonly number[]> {
  const read = await app.inject('GET', path, { token });
  const created = await app.inject('POST', path, { token, body: { title: 'x' } });
  return [read.status, created.status];
}

describe('roles of a client over HTTP', () => {
  it('are given at its making, shown, kept by other changes, replaced, and taken', async () => {
    const created = await create('ann', { roles: ['author', 'editor', 'author'] });
    const ann = { clientId: 'ann', accessType: 'user' };
    expect([created.status, created.body]).toEqual([
      201,
      { results: [{ ...ann, roles: ['author', 'editor'] }] },
    ]);
    expect(await shown('ann')).toEqual({ ...ann, roles: ['author', 'editor'] });
    expect((await app.inject('GET', '/api/clients')).body.results).toContainEqual(await shown('ann'));
    await put('ann', { permissions: {} });
    expect(await shown('ann')).toEqual({ ...ann, roles: ['author', 'editor'], permissions: {} });
    const replaced = await put('ann', { roles: ['chief'], permissions: null });
    expect([replaced.status, replaced.body]).toEqual([200, { results: [{ ...ann, roles: ['chief'] }] }]);
    expect((await put('ann', await shown('ann'))).body).toEqual(replaced.body);
    await put('ann', { roles: [] });
    expect(await shown('ann')).toEqual(ann);
  });

  it('are in force with the answer that changes them', async () => {
    await create('rolf');
    const token = await app.token('rolf', SECRET);
    expect(await statuses(token, STAFF)).toEqual([403, 403]);
    await put('rolf', { roles: ['author'] });
    expect(await statuses(token, STAFF)).toEqual([403, 200]);
    await put('rolf', { roles: ['editor', 'other'] });
    expect(await statuses(token, STAFF)).toEqual([200, 200]);
    await put('rolf', { permissions: { actions: ['read'] } });
    expect(await statuses(token, STAFF)).toEqual([200, 403]);
    await put('rolf', { roles: [], permissions: null });
    expect(await statuses(token, STAFF)).toEqual([403, 403]);
  });

  it.each([
    [{ roles: 'editor' }, 'roles'],
    [{ roles: null }, 'roles'],
    [{ roles: ['ok', 'admin'] }, 'roles.1'],
    [{ roles: ['a\u0000'] }, 'roles.0'],
    [{ roles: ['\uff41dmin'] }, 'roles.0'],
    [{ roles: Array.from({ length: 10_000 }, (_, n) => `r${n}`) }, 'roles'],
    [{ permissions: { actions: ['write'] } }, 'permissions.actions.0'],
    [{ permissions: { collections: [{ path: 'a', database: 7 }] } }, 'permissions.collections.0.database'],
    [{ issuer: 'acme' }, 'issuer'],
  ])('and permissions as in %j are 400 that names the field, at POST and PUT', async (body, field) => {
    await create('steady', { roles: ['kept'] });
    for (const answer of [await create('never', body), await put('steady', body)]) {
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    }
    expect((await app.inject('GET', '/api/clients/never')).status).toBe(404);
    expect(await shown('steady')).toEqual({ clientId: 'steady', accessType: 'user', roles: ['kept'] });
  });

  it('are part of the fingerprint in the audit log, as permissions are', async () => {
    await create('traced');
    await put('traced', { roles: ['editor'] });
    await put('traced', { permissions: { actions: ['read'] } });
    await put('traced', { permissions: { actions: ['read', 'history'] } });
    await put('traced', { roles: [], permissions: null });
    const { audit } = (await app.inject('GET', '/api/audit')).body as { audit: readonly AuditEntry[] };
    const entries = audit.filter(({ target }) => target === 'traced');
    expect(entries.map(({ action, clientId }) => [action, clientId])).toEqual(
      ['create', 'update', 'update', 'update', 'update'].map((what) => [`client.${what}`, ADMIN.clientId]),
    );
    const after = entries.map((entry) => entry.after);
    expect(entries.map((entry) => entry.before)).toEqual([null, ...after.slice(0, -1)]);
    expect(after[4]).toBe(after[0]);
    expect(new Set(after).size).toBe(4);
  });
});

describe('permissions of a client over HTTP', () => {
  it('of one action are reading everything, without history, and writing nothing', async () => {
    const { body } = await app.inject('POST', NOTES, { body: { title: 'first' } });
    const path = `${NOTES}/${body.results[0]._id}`;
    await create('reader', { permissions: { actions: ['read'] } });
    expect(await shown('reader')).toMatchObject({ permissions: { actions: ['read'] } });
    const token = await app.token('reader', SECRET);
    const status = async (method: string, address: string, payload?: JsonObject) =>
      (await app.inject(method, address, { token, ...(payload === undefined ? {} : { body: payload }) }))
        .status;
    expect(await statuses(token, NOTES)).toEqual([200, 401]);
    expect(await statuses(token, '/1.0/other/notes')).toEqual([200, 401]);
    expect(await status('GET', `${NOTES}/count`)).toBe(200);
    expect(await status('GET', path)).toBe(200);
    expect(await status('GET', `${path}/history`)).toBe(401);
    expect(await status('PUT', path, { title: 'y' })).toBe(401);
    expect(await status('DELETE', path)).toBe(401);
    await put('reader', { permissions: { actions: ['read', 'history', 'update'] } });
    expect(await status('GET', `${path}/history`)).toBe(200);
    expect(await status('PUT', path, { title: 'y' })).toBe(200);
    expect(await status('DELETE', path)).toBe(401);
  });

  it('of an entry are for its database, version and actions', async () => {
    const collections = [
      { path: 'notes', apiVersion: '1.0', database: 'other', actions: ['read', 'create'] },
    ];
    await create('narrow', { permissions: { collections } });
    expect(await shown('narrow')).toMatchObject({ permissions: { collections } });
    const token = await app.token('narrow', SECRET);
    expect(await statuses(token, '/1.0/other/notes')).toEqual([200, 200]);
    expect(await statuses(token, NOTES)).toEqual([401, 401]);
    await put('narrow', { permissions: { collections: [{ path: 'notes', actions: ['create'] }] } });
    expect(await statuses(token, NOTES)).toEqual([401, 200]);
    await put('narrow', { permissions: { actions: ['read'], collections: [{ path: 'notes' }] } });
    expect(await statuses(token, NOTES)).toEqual([200, 401]);
  });

  it.each([{}, { actions: [] }, { collections: [] }, { collections: [{ path: 'notes', actions: [] }] }])(
    'that are %j permit nothing',
    async (permissions) => {
      await create('nothing');
      const token = await app.token('nothing', SECRET);
      await put('nothing', { permissions });
      expect(await statuses(token, NOTES)).toEqual([401, 401]);
      await put('nothing', { permissions: null });
      expect(await statuses(token, NOTES)).toEqual([200, 200]);
    },
  );
});

describe('the id of a client where users of an issuer have ids', () => {
  it('does not begin as theirs do', async () => {
    const acme = { name: 'acme', issuer: 'i', audience: 'a', jwksUrl: 'https://login.acme.test/jwks' };
    const trusting = await startApp({ config: { auth: { issuers: [acme] } } });
    const post = (clientId: string) => trusting.inject('POST', '/api/clients', { body: { clientId } });
    const { status, body } = await post('acme:ann');
    expect([status, body.errors[0]]).toMatchObject([
      400,
      { field: 'clientId', message: 'Ids that begin with acme: belong to users of the issuer acme' },
    ]);
    expect((await post('acme')).status).toBe(201);
    await trusting.close();
  });
});
