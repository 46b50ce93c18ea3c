// The list of removed documents that can be restored: what it holds, in which order, and for whom.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const SECRET = 'a secret for tests';
const FIELDS: JsonObject = {
  name: { required: true },
  n: { type: 'Number' },
  salary: { type: 'Number', access: { read: ['boss'] } },
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

async function specify(name: string, settings: JsonObject = {}) {
  const path = `/1.0/library/${name}`;
  const body = { fields: FIELDS, settings: { storeRevisions: true, ...settings } };
  expect((await app.inject('POST', `${path}/config`, { body })).status).toBe(200);
  return path;
}

async function signIn(clientId: string, body: JsonObject = {}): Promise<string> {
  await app.inject('POST', '/api/clients', { body: { clientId, secret: SECRET, ...body } });
  const answer = await app.inject('POST', '/token', { body: { clientId, secret: SECRET }, token: null });
  return String(answer.body.accessToken);
}

const create = async (path: string, document: JsonObject): Promise<string> =>
  (await app.inject('POST', path, { body: document })).body.results[0]._id;
const remove = (path: string, id: string) => app.inject('DELETE', `${path}/${id}`);
const listed = (path: string, query = '', options = {}) =>
  app.inject('GET', `/api/me/collections${path}/deleted${query}`, options);
const names = async (path: string, query = '', options = {}) =>
  (await listed(path, query, options)).body.results.map(
    ({ document }: JsonObject) => (document as JsonObject)['name'],
  );
const restore = (path: string, { id, revision }: { id: string; revision: string }) =>
  app.inject('POST', `${path}/${id}/revisions/${revision}/restore`);

describe('removed documents', () => {
  it('are listed with their last state, when they were removed and by whom, those removed last first', async () => {
    const path = await specify('listed');
    const first = await create(path, { name: 'first', n: 1, salary: 5 });
    await app.inject('PUT', `${path}/${first}`, { body: { name: 'changed' } });
    const second = await create(path, { name: 'second' });
    await create(path, { name: 'present' });
    await remove(path, first);
    await remove(path, second);
    const { status, body } = await listed(path);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({ page: 1, totalCount: 2, totalPages: 1 });
    expect(body.results.map(({ id }: JsonObject) => id)).toEqual([second, first]);
    expect(body.results[1]).toEqual({
      id: first,
      revision: expect.stringMatching(/^[0-9a-f]{24}$/),
      removedAt: expect.any(Number),
      removedBy: 'admin',
      document: expect.objectContaining({ _id: first, name: 'changed', n: 1, salary: 5, v: 2 }),
    });
    expect(body.results[1].removedAt).toBeGreaterThanOrEqual(body.results[1].document.lastModifiedAt);
    const members = Object.keys(body.results[1].document);
    expect(members.filter((name) => /^original|action|history/.test(name))).toEqual([]);
    const { text } = await app.inject('GET', `${path}/${first}/history`);
    expect(text).not.toContain('originalRemoval');
  });

  it('come in pages, by fields and by a filter', async () => {
    const path = await specify('paged');
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await create(path, { name: `book ${n}`, n }));
    for (const id of ids) await remove(path, id);
    expect(await names(path, '?count=2')).toEqual(['book 4', 'book 3']);
    expect(await names(path, '?count=2&page=3')).toEqual(['book 0']);
    const { metadata } = (await listed(path, '?count=2&page=2')).body;
    expect(metadata).toMatchObject({ page: 2, totalCount: 5, totalPages: 3, nextPage: 3, prevPage: 1 });
    const filter = encodeURIComponent(JSON.stringify({ n: { $gte: 3 } }));
    expect(await names(path, `?filter=${filter}`)).toEqual(['book 4', 'book 3']);
    const [entry] = (await listed(path, `?count=1&fields=${encodeURIComponent('{"n":1}')}`)).body.results;
    expect(entry.document).toEqual({ _id: ids[4], n: 4, v: 1 });
    expect((await listed(path, '?filter=nonsense')).status).toBe(400);
  });

  it('are no longer listed when they are restored, and once when they are removed again', async () => {
    const path = await specify('restored');
    const id = await create(path, { name: 'first' });
    await remove(path, id);
    const [entry] = (await listed(path)).body.results;
    expect((await restore(path, entry)).status).toBe(200);
    expect((await listed(path)).body).toMatchObject({ results: [], metadata: { totalCount: 0 } });
    const actions = async () =>
      (await app.inject('GET', `${path}/${id}/history`)).body.results.map(({ action }: JsonObject) => action);
    expect(await actions()).toEqual(['create', 'delete', 'create']);
    await app.inject('PUT', `${path}/${id}`, { body: { name: 'second' } });
    await remove(path, id);
    expect((await listed(path)).body.metadata.totalCount).toBe(1);
    expect(await names(path)).toEqual(['second']);
    expect(await actions()).toEqual(['create', 'delete', 'create', 'update', 'delete']);
  });

  it('are those of their own collection, and none where no revisions are kept', async () => {
    const path = await specify('own');
    await remove(path, await create(path, { name: 'mine' }));
    expect(await names(await specify('other'))).toEqual([]);
    const plain = await specify('plain', { storeRevisions: false });
    await remove(plain, await create(plain, { name: 'gone' }));
    expect((await listed(plain)).body).toMatchObject({ results: [], metadata: { totalCount: 0 } });
    expect((await listed('/1.0/library/unknown')).status).toBe(404);
  });

  it('have the names of internals that their collection has', async () => {
    const path = await specify('underscored', { internals: 'underscored' });
    await remove(path, await create(path, { name: 'gone' }));
    const [{ document }] = (await listed(path)).body.results;
    expect(document).toMatchObject({ name: 'gone', _version: 1, _createdBy: 'admin' });
    expect(document).not.toHaveProperty('createdBy');
  });

  it('name a removal by a query as well', async () => {
    const path = await specify('queried');
    for (const name of ['a', 'b']) await create(path, { name, n: 1 });
    await app.inject('DELETE', path, { body: { query: { n: 1 } } });
    expect((await names(path)).sort()).toEqual(['a', 'b']);
  });
});

describe('the list of removed documents', () => {
  it('is for those who may read them and their history: by rules, of the last state, without hidden fields', async () => {
    const path = await specify('ruled', {
      access: {
        read: [{ to: 'clients', where: { createdBy: { $caller: 'clientId' } } }],
        history: [{ to: 'clients', where: { n: { $gte: 2 } } }],
        create: [{ to: 'clients' }],
        delete: [{ to: 'clients' }],
      },
    });
    const token = await signIn('writer');
    const other = await signIn('other');
    for (const n of [1, 2]) {
      const { body } = await app.inject('POST', path, { body: { name: `of writer ${n}`, n }, token });
      await remove(path, body.results[0]._id);
    }
    await remove(path, await create(path, { name: 'of admin', n: 2, salary: 7 }));
    expect(await names(path)).toEqual(['of admin', 'of writer 2', 'of writer 1']);
    expect(await names(path, '', { token })).toEqual(['of writer 2']);
    expect((await listed(path, '', { token })).body.metadata.totalCount).toBe(1);
    expect(await names(path, '', { token: other })).toEqual([]);
    const hidden = `?filter=${encodeURIComponent('{"salary":7}')}`;
    expect((await listed(path, hidden, { token })).status).toBe(400);
  });

  it('is refused to whoever may not read, or not read the history', async () => {
    const path = await specify('closed', {
      access: { read: [{ to: 'clients' }], history: [{ to: 'boss' }], create: [{ to: 'clients' }] },
    });
    await remove(path, await create(path, { name: 'gone', salary: 7 }));
    const plain = await listed(path, '', { token: await signIn('plain') });
    expect(plain.status).toBe(403);
    const boss = await listed(path, '', { token: await signIn('chief', { roles: ['boss'] }) });
    expect(boss.body.results[0].document).toMatchObject({ name: 'gone', salary: 7 });
    expect((await listed(path, '', { token: null })).status).toBe(401);
    const open = await specify('permitted');
    const token = await signIn('narrow', {
      permissions: { collections: [{ path: 'permitted', actions: ['read'] }] },
    });
    expect((await listed(open, '', { token })).status).toBe(401);
    expect((await listed(path, '', { token })).status).toBe(404);
  });
});
