// Revisions that are sent back, and documents that get the state of a revision: present ones and removed ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { upload } from '../helpers/app/media-server.ts';
import { mongoOfWorkspaces } from '../helpers/temp/workspace.ts';

const UNKNOWN = '0123456789abcdef01234567';
const FIELDS = { name: { required: true }, slug: {}, n: { type: 'Number' }, friends: { type: 'Reference' } };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

async function specify(name: string, { fields = FIELDS as JsonObject, settings = {} as JsonObject } = {}) {
  const path = `/1.0/library/${name}`;
  const body = { fields, settings: { storeRevisions: true, ...settings } };
  const { status, text } = await app.inject('POST', `${path}/config`, { body });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return path;
}

const create = async (path: string, document: JsonObject) =>
  (await app.inject('POST', path, { body: document })).body.results[0];
const put = (path: string, id: string, body: unknown) => app.inject('PUT', `${path}/${id}`, { body });
const revisionsOf = async (path: string, id: string, count = 100) =>
  (await app.inject('GET', `${path}/${id}/history?count=${count}`)).body.results;
const restore = (path: string, id: string, revisionId: string, options = {}) =>
  app.inject('POST', `${path}/${id}/revisions/${revisionId}/restore`, options);

describe('a revision as it was served', () => {
  it('can be sent back to its document, and as a new one after its removal', async () => {
    const path = await specify('sent');
    const { _id } = await create(path, { name: 'a', n: 1 });
    await put(path, _id, { name: 'b', n: 2 });
    const [first] = await revisionsOf(path, _id);
    const sent = await put(path, _id, first);
    expect([sent.status, sent.body.results]).toMatchObject([200, [{ name: 'a', n: 1, v: 3, _id }]]);
    expect(sent.text).not.toContain('originalDocumentId');
    await app.inject('DELETE', `${path}/${_id}`);
    const again = await app.inject('POST', path, { body: first });
    expect([again.status, again.body.results]).toMatchObject([200, [{ name: 'a', n: 1, v: 1 }]]);
  });

  it('keeps fields that the specification declares under the names of its own members', async () => {
    const path = await specify('acted', { fields: { ...FIELDS, action: {} } });
    const { _id } = await create(path, { name: 'a', action: 'mine' });
    expect((await put(path, _id, { action: 'yours' })).body.results).toMatchObject([{ action: 'yours' }]);
    const [first] = await revisionsOf(path, _id);
    await put(path, _id, { name: 'b' });
    const { body } = await restore(path, _id, first._id);
    expect(body.results).toMatchObject([{ name: 'a', action: 'yours' }]);
    const plain = await specify('unrevised', { settings: { storeRevisions: false } });
    expect((await app.inject('POST', plain, { body: { name: 'a', action: 'x' } })).status).toBe(400);
  });
});

describe('restoring', () => {
  it('writes the state of a revision: fields that came later go', async () => {
    const path = await specify('restored', {
      settings: { index: { keys: { slug: 1 }, options: { unique: true, sparse: true } } },
    });
    const friend = await create(path, { name: 'friend' });
    const { _id } = await create(path, { name: 'a', n: 1, friends: [friend._id] });
    await put(path, _id, { name: 'b', n: null, slug: 's', friends: null });
    const [first, second] = await revisionsOf(path, _id);
    const { status, body, headers } = await restore(path, _id, first._id);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(body.results).toMatchObject([{ name: 'a', n: 1, friends: [friend._id], v: 3, _id }]);
    expect(body.results[0]).not.toHaveProperty('slug');
    expect(body.results[0].createdAt).toBe(first.createdAt);
    // The index no longer has the value.
    expect((await app.inject('POST', path, { body: { name: 'c', slug: 's' } })).status).toBe(200);
    const taken = await restore(path, _id, second._id);
    expect([taken.status, taken.body.errors[0].field]).toEqual([400, 'slug']);
    const actions = (await revisionsOf(path, _id)).map(({ action, v }: JsonObject) => `${action} ${v}`);
    expect(actions).toEqual(['create 1', 'update 2', 'update 3']);
    expect((await app.inject('GET', `${path}/${_id}`)).body.results[0].history).toHaveLength(3);
  });

  it('brings a removed document back under its id, as often as it is removed', async () => {
    const path = await specify('removed');
    const { _id, createdAt } = await create(path, { name: 'a', n: 1 });
    await put(path, _id, { slug: 's' });
    for (const round of [0, 1]) {
      expect((await app.inject('DELETE', `${path}/${_id}`)).status).toBe(204);
      const revisions = await revisionsOf(path, _id);
      const { status, body } = await restore(path, _id, revisions[0]._id);
      const [document] = body.results;
      expect([status, document]).toMatchObject([200, { name: 'a', n: 1, createdAt, v: 3 + round, _id }]);
      expect(document).not.toHaveProperty('slug');
      const after = await revisionsOf(path, _id);
      expect(document.history).toEqual(after.map((one: JsonObject) => one['_id']));
    }
    const actions = (await revisionsOf(path, _id)).map(({ action, v }: JsonObject) => `${action} ${v}`);
    expect(actions).toEqual(['create 1', 'update 2', 'delete 2', 'create 3', 'delete 3', 'create 4']);
    expect((await put(path, _id, { n: 5 })).body.results[0].v).toBe(5);
    const [removal] = (await revisionsOf(path, _id)).filter(({ action }: JsonObject) => action === 'delete');
    expect((await restore(path, _id, removal._id)).body.results[0]).toMatchObject({ n: 1, slug: 's', v: 6 });
  });

  it('may be asked for several times at once', async () => {
    const path = await specify('together');
    const { _id, history } = await create(path, { name: 'a' });
    await app.inject('DELETE', `${path}/${_id}`);
    const answers = await Promise.all([1, 2, 3].map(() => restore(path, _id, history[0])));
    const versions = answers.map(({ status, body }) => [status, body.results?.[0].v]);
    expect(versions.sort()).toEqual([
      [200, 2],
      [200, 3],
      [200, 4],
    ]);
  });

  // With fewer revisions than are read at once, and with more. A server of its own takes its time over so many writes: more are enough.
  it.each(mongoOfWorkspaces() === undefined ? [230, 520] : [520])(
    'keeps the whole history of a document of %i updates',
    async (updates) => {
      const path = await specify(`many-${updates}`);
      const { _id } = await create(path, { name: 'a', n: 0 });
      for (let n = 1; n <= updates; n += 1) await put(path, _id, { n });
      await app.inject('DELETE', `${path}/${_id}`);
      const [first] = await revisionsOf(path, _id, 1);
      const { body } = await restore(path, _id, first._id);
      expect(body.results[0]).toMatchObject({ n: 0, v: updates + 2 });
      const ids = (await revisionsOf(path, _id, 1000)).map((one: JsonObject) => one['_id']);
      const count = updates + 3;
      expect([ids.length, new Set(ids).size]).toEqual([count, count]);
      expect(body.results[0].history).toEqual(ids);
      for (let n = 1; n <= 90; n += 1) await put(path, _id, { n });
      const { results } = (await app.inject('GET', `${path}/${_id}`)).body;
      expect(results[0].history).toHaveLength(count + 90);
      expect(results[0].history.slice(0, count)).toEqual(ids);
    },
  );

  it('runs the hooks of an update, or of a create for a removed document, over the state of the revision', async () => {
    const headers = { 'content-type': 'text/plain' };
    const body = `module.exports = (obj, type) => {
      if (obj.name === 'refused') throw new Error('not this one');
      return { ...obj, slug: type };
    };`;
    expect((await app.inject('POST', '/api/hooks/mark/config', { body, headers })).status).toBe(200);
    const hooks = { beforeCreate: ['mark'], beforeUpdate: ['mark'] };
    const path = await specify('hooked');
    const { _id, history } = await create(path, { name: 'a' });
    const refused = await create(path, { name: 'refused' });
    await specify('hooked', { settings: { hooks } });
    expect((await restore(path, _id, history[0])).body.results).toMatchObject([
      { name: 'a', slug: 'beforeUpdate' },
    ]);
    for (const id of [_id, refused._id]) await app.inject('DELETE', `${path}/${id}`);
    expect((await restore(path, _id, history[0])).body.results).toMatchObject([
      { name: 'a', slug: 'beforeCreate' },
    ]);
    const answer = await restore(path, refused._id, refused.history[0]);
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'API-0002']);
    expect((await app.inject('GET', `${path}/${refused._id}`)).status).toBe(404);
  });

  it('takes no fields: nothing is written where some are sent', async () => {
    const path = await specify('bodied');
    const { _id } = await create(path, { name: 'a' });
    await put(path, _id, { name: 'b' });
    const [first] = await revisionsOf(path, _id);
    for (const body of [{ name: 'c' }, [], 'x']) {
      const { status, body: answer } = await restore(path, _id, first._id, { body: JSON.stringify(body) });
      expect([status, answer.errors[0].message]).toEqual([400, expect.stringContaining('takes no body')]);
    }
    expect((await restore(path, _id, first._id, { body: {} })).body.results).toMatchObject([
      { name: 'a', v: 3 },
    ]);
  });

  it('takes If-Match and If-None-Match as a PUT does', async () => {
    const path = await specify('matched');
    const { _id } = await create(path, { name: 'a' });
    await put(path, _id, { name: 'b' });
    const [first] = await revisionsOf(path, _id);
    const withHeaders = async (headers: JsonObject) =>
      (await restore(path, _id, first._id, { headers })).status;
    expect(await withHeaders({ 'if-match': '"1"' })).toBe(412);
    expect(await withHeaders({ 'if-none-match': '*' })).toBe(412);
    expect(await withHeaders({ 'if-match': '"2"' })).toBe(200);
    await app.inject('DELETE', `${path}/${_id}`);
    expect(await withHeaders({ 'if-match': '*' })).toBe(412);
    expect(await withHeaders({ 'if-match': '"3"' })).toBe(412);
    expect(await withHeaders({ 'if-none-match': '*' })).toBe(200);
  });

  it('obeys the specification of today', async () => {
    const path = await specify('stricter');
    const { _id } = await create(path, { name: 'a', n: 1, slug: 'long' });
    await put(path, _id, { n: 2, slug: 's' });
    const { slug: _, ...rest } = FIELDS;
    const late = { needed: { required: true }, filled: { required: true, default: 'x' } };
    await specify('stricter', { fields: { ...rest, ...late } });
    const [first] = await revisionsOf(path, _id);
    const refused = await restore(path, _id, first._id);
    // The document never had the field, so an update need not add it: but a document that is created anew must have it.
    expect(refused.body.results).toMatchObject([{ n: 1, slug: 'long', filled: 'x' }]);
    await put(path, _id, { needed: 'y' });
    const kept = await restore(path, _id, first._id);
    expect([kept.status, kept.body.errors]).toMatchObject([
      400,
      [{ field: 'needed', code: 'ERROR_REQUIRED' }],
    ]);
    await app.inject('DELETE', `${path}/${_id}`);
    const missing = await restore(path, _id, first._id);
    expect([missing.status, missing.body.errors]).toMatchObject([400, [{ field: 'needed' }]]);
    await specify('stricter', { fields: { ...rest, n: { type: 'String' } } });
    expect((await restore(path, _id, first._id)).body.errors).toMatchObject([{ field: 'n' }]);
    await specify('stricter', { fields: rest });
    // A field that no specification declares any more is part of the state all the same.
    expect((await restore(path, _id, first._id)).body.results).toMatchObject([{ n: 1, slug: 'long' }]);
  });

  it('finds only revisions of this document', async () => {
    const path = await specify('mine');
    const other = await specify('others');
    const one = await create(path, { name: 'a' });
    const two = await create(path, { name: 'b' });
    const three = await create(other, { name: 'c' });
    const statuses = [
      await restore(path, one._id, two.history[0]),
      await restore(path, one._id, three.history[0]),
      await restore(path, one._id, UNKNOWN),
      await restore(path, UNKNOWN, one.history[0]),
      await restore(path, one._id, 'nonsense'),
      await restore(`${path}History`, one._id, one.history[0]),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404]);
    const get = await app.inject('GET', `${path}/${one._id}/revisions/${one.history[0]}/restore`);
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
    await specify('mine', { settings: { storeRevisions: false } });
    expect((await restore(path, one._id, one.history[0])).status).toBe(404);
  });

  it('needs the rights of an update, of a read, and for a removed document of a create', async () => {
    const path = await specify('guarded');
    const { _id, history } = await create(path, { name: 'a' });
    const [revisionId] = history;
    expect((await restore(path, _id, revisionId, { token: null })).status).toBe(401);
    const stranger = await app.userToken('stranger', { collections: [{ path: 'sent' }] });
    expect((await restore(path, _id, revisionId, { token: stranger })).status).toBe(401);
    const guest = await app.userToken('restorer', { collections: [{ path: 'guarded' }] });
    const { body } = await restore(path, _id, revisionId, { token: guest });
    expect(body.results).toMatchObject([{ lastModifiedBy: 'restorer', v: 2 }]);
    await specify('guarded', { settings: { authenticate: ['POST'] } });
    const [{ _id: anew }] = [await create(path, { name: 'b' })];
    const [revision] = await revisionsOf(path, anew);
    expect((await restore(path, anew, revision._id, { token: null })).status).toBe(200);
    await app.inject('DELETE', `${path}/${anew}`);
    const refused = await restore(path, anew, revision._id, { token: null });
    expect([refused.status, (await app.inject('GET', `${path}/${anew}`)).status]).toEqual([401, 404]);
  });

  it('does not bring back a media record, whose file is gone', async () => {
    const path = await specify('films', { fields: { slug: {} }, settings: { type: 'media' } });
    const { status, body } = await upload(app, path, {}, { token: await app.adminToken() });
    expect(status).toBe(201);
    const [{ _id, history, path: file }] = body.results;
    await put(path, _id, { slug: 'x' });
    expect((await restore(path, _id, history[0])).body.results).toMatchObject([{ path: file, v: 3 }]);
    await app.inject('DELETE', `${path}/${_id}`);
    const gone = await restore(path, _id, history[0]);
    expect([gone.status, gone.body.errors[0].field]).toEqual([400, 'file']);
  });
});
