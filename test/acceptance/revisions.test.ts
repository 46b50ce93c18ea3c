// Revisions over the whole application: written with every write, shown in place or as a list, read-only.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, queryOf, type TestCollection } from '../helpers/app/site.ts';

const fields = { name: { required: true }, n: { type: 'Number' }, friend: { type: 'Reference' } };
const UNKNOWN = '0123456789abcdef01234567';

let app: TestApp;
let kept: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  kept = await createTestCollection(app, '/1.0/library/kept', { fields, settings: { storeRevisions: true } });
});

afterAll(() => app.close());

const put = async (id: string, body: unknown) =>
  (await app.inject('PUT', `${kept.path}/${id}`, { body })).body.results[0];
const history = (id: string, parameters = {}) => kept.get(parameters, `/${id}/history`);

async function twice(name: string) {
  const [created] = await kept.add({ name, n: 1 });
  const updated = await put(created._id, { n: 2 });
  return { id: created._id as string, created, updated };
}

describe('revisions', () => {
  it('are written on create, update and delete, each the state as written', async () => {
    const { id, created, updated } = await twice('a');
    expect([created.history.length, updated.history.length]).toEqual([1, 2]);
    expect(updated.history[0]).toBe(created.history[0]);
    await app.inject('DELETE', `${kept.path}/${id}`);
    const { status, body } = await history(id);
    expect([status, Object.keys(body)]).toEqual([200, ['results', 'metadata']]);
    const [first, second] = updated.history;
    const { _id, v, ...state } = created;
    const common = { ...state, originalDocumentId: id };
    expect(body.results).toEqual([
      { ...common, n: 1, history: [], action: 'create', v: 1, _id: first },
      { ...common, ...written(updated), n: 2, history: [first], action: 'update', v: 2, _id: second },
      {
        ...common,
        ...written(updated),
        n: 2,
        history: [first, second],
        action: 'delete',
        v: 2,
        _id: expect.any(String),
      },
    ]);
    expect([_id, v]).toEqual([id, 1]);
    expect(body.metadata).toMatchObject({ totalCount: 3, page: 1, limit: 40 });
  });

  it('are all named by a document of many updates', async () => {
    const [{ _id }] = await kept.add({ name: 'many', n: 0 });
    let last = { v: 1, history: [] as string[] };
    for (let n = 1; n <= 230; n += 1) last = await put(_id, { n });
    const ids: string[] = [];
    for (const page of [1, 2, 3]) {
      const { results } = (await history(_id, { count: 100, page })).body;
      ids.push(...results.map((revision: { _id: string }) => revision._id));
      expect(results.at(-1).history).toEqual(ids.slice(0, Math.min(100, ids.length - 1)));
    }
    expect([last.v, ids.length, new Set(ids).size]).toEqual([231, 231, 231]);
    expect(last.history).toEqual(ids);
    expect((await kept.get({ filter: { name: 'many' } })).body.results[0].history).toEqual(ids);
    const whole = (await kept.get({ includeHistory: true }, `/${_id}`)).body.results[0].history;
    expect(whole.map(({ n }: { n: number }) => n)).toEqual(ids.map((_, at) => at));
  });

  it('come by pages, filters, fields and order', async () => {
    const { id } = await twice('b');
    const page = await history(id, { count: 1, page: 2 });
    expect(page.body.results.map(({ v }: { v: number }) => v)).toEqual([2]);
    expect(page.body.metadata).toMatchObject({ totalCount: 2, totalPages: 2, prevPage: 1 });
    const filtered = await history(id, { filter: { action: 'create' }, fields: { n: 1 } });
    expect(filtered.body.results).toEqual([{ n: 1, _id: expect.any(String) }]);
    const down = await history(id, { sort: 'v', sortOrder: 'desc' });
    expect(down.body.results.map(({ v }: { v: number }) => v)).toEqual([2, 1]);
    expect((await history(UNKNOWN)).status).toBe(404);
    expect((await history(UNKNOWN)).body.results).toEqual([]);
  });

  it('take the place of their ids on demand', async () => {
    const { id, updated } = await twice('c');
    const both = await kept.get({ includeHistory: true }, `/${id}`);
    const [document] = both.body.results;
    expect(document.history.map(({ _id, n, action }: Record<string, unknown>) => [_id, n, action])).toEqual([
      [updated.history[0], 1, 'create'],
      [updated.history[1], 2, 'update'],
    ]);
    const filter = { name: 'c' };
    const some = await kept.get({ filter, includeHistory: true, historyFilters: { n: { $gt: 1 } } });
    expect(some.body.results[0].history.map(({ n }: { n: number }) => n)).toEqual([2]);
    expect(some.body.metadata.historyFilters).toEqual({ n: { $gt: 1 } });
    const limited = await kept.get({ filter, includeHistory: true, fields: { n: 1 } });
    expect(limited.body.results[0].history[0]).toEqual({ n: 1, _id: updated.history[0] });
    const off = await kept.get({ filter, includeHistory: 'yes', historyFilters: { n: 2 } });
    expect([off.body.results[0].history, off.body.metadata.historyFilters]).toEqual([
      updated.history,
      undefined,
    ]);
    const bad = await kept.get({ includeHistory: true, historyFilters: { nope: 1 } });
    expect([bad.status, bad.body.errors[0].field]).toEqual([400, 'nope']);
  });

  it('cannot be forged, and count every write by query', async () => {
    const { id, updated } = await twice('d');
    const forged = await put(id, { history: [UNKNOWN], v: 70, createdBy: 'x' });
    expect([forged.history.slice(0, 2), forged.history.length, forged.v]).toEqual([updated.history, 3, 3]);
    const body = { query: { name: 'D' }, update: { n: 9 } };
    await app.inject('PUT', kept.path, { body });
    await app.inject('DELETE', kept.path, { body: { query: { name: 'd' } } });
    const { results } = (await history(id)).body;
    expect(results.map(({ action, v, n }: Record<string, unknown>) => [action, v, n])).toEqual([
      ['create', 1, 1],
      ['update', 2, 2],
      ['update', 3, 2],
      ['update', 4, 9],
      ['delete', 4, 9],
    ]);
  });

  it('are nothing where they are not stored', async () => {
    const none = await createTestCollection(app, '/1.0/library/none', { fields });
    const [document] = await none.add({ name: 'a' });
    expect(document).not.toHaveProperty('history');
    expect((await none.get({ includeHistory: true })).body.results[0].history).toEqual([]);
    const list = await none.get({}, `/${document._id}/history`);
    expect([list.status, list.body.results]).toEqual([200, []]);
  });
});

function written(document: Record<string, unknown>) {
  const { lastModifiedAt, lastModifiedBy } = document;
  return { lastModifiedAt, lastModifiedBy };
}

describe('the collection of revisions', () => {
  it('has a path only where it is specified, and that only reads', async () => {
    const path = '/1.0/library/keptHistory';
    expect((await app.inject('GET', path)).status).toBe(404);
    const spec = {
      fields: { ...fields, action: {}, originalDocumentId: { type: 'ObjectID' } },
      settings: {},
    };
    expect((await app.inject('POST', `${path}/config`, { body: spec })).status).toBe(200);
    const { id } = await twice('e');
    const found = await app.inject('GET', path + queryOf({ filter: { originalDocumentId: id } }));
    expect(found.body.metadata.totalCount).toBe(2);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await app.inject(method, path, { body: { query: {}, update: {} } });
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    await app.inject('DELETE', `${path}/config`);
  });

  it('may have a name of its own, but not that of documents', async () => {
    const named = await createTestCollection(app, '/1.0/library/named', {
      fields,
      settings: { storeRevisions: true, revisionCollection: 'past' },
    });
    await named.add({ name: 'a' });
    const past = await createTestCollection(app, '/1.0/library/past', { fields });
    expect((await past.get()).body.results[0]).toMatchObject({ name: 'a', action: 'create' });
    const other = await createTestCollection(app, '/1.0/library/other', { fields });
    await other.add({ name: 'own' });
    for (const revisionCollection of ['other', 'refused']) {
      const body = { fields, settings: { storeRevisions: true, revisionCollection } };
      const { status, body: answer } = await app.inject('POST', '/1.0/library/refused/config', { body });
      expect([status, answer.success]).toEqual([400, false]);
      expect(JSON.stringify(answer.errors)).toContain('revisionCollection');
    }
    expect((await app.inject('GET', '/1.0/library/refused')).status).toBe(404);
    expect(await other.find({})).toEqual(['own']);
  });
});
