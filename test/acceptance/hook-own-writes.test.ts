// Before-hooks that write, through `Model`, the documents of the write that they run for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

const ACTIONS = ['find', 'create', 'update', 'delete'];

async function hook(name: string, source: string, collections: readonly string[]) {
  const headers = { 'content-type': 'text/plain' };
  const posted = await app.inject('POST', `/api/hooks/${name}/config`, { body: source, headers });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  const grants = {
    collections: collections.map((one) => ({ name: `1.0/library/${one}`, actions: ACTIONS })),
  };
  const put = await app.inject('PUT', `/api/hooks/${name}/policy`, { body: { grants } });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
}

async function shelf(
  name: string,
  hooks: JsonObject,
  more: { fields?: JsonObject; settings?: JsonObject } = {},
) {
  const path = `/1.0/library/${name}`;
  const fields = { title: {}, gone: { type: 'Boolean' }, n: { type: 'Number' }, ...more.fields };
  const settings = { storeRevisions: true, ...more.settings, hooks };
  const { status, text } = await app.inject('POST', `${path}/config`, { body: { fields, settings } });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return path;
}

async function add(path: string, ...documents: JsonObject[]) {
  const { body, status, text } = await app.inject('POST', path, { body: documents });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body.results;
}

async function actionsOf(path: string, id: string) {
  const { results } = (await app.inject('GET', `${path}/${id}/history`)).body;
  return results.map(({ action, v }: { action: string; v: number }) => `${action} ${v}`);
}

describe('a hook that writes its own document', () => {
  it('before its removal runs once, and the removal follows', async () => {
    await hook(
      'mark',
      `module.exports = async (obj, type, data) => {
        for (const d of data.deletedDocs) await Model('notes').update({ _id: d._id }, { gone: true });
      };`,
      ['notes'],
    );
    const path = await shelf('notes', { beforeDelete: ['mark'] });
    const [a, b, c] = await add(path, { title: 'a' }, { title: 'b' }, { title: 'b' });
    expect((await app.inject('DELETE', `${path}/${a._id}`)).status).toBe(204);
    expect(await actionsOf(path, a._id)).toEqual(['create 1', 'update 2', 'delete 2']);
    const many = await app.inject('DELETE', path, { body: { query: { title: 'b' } } });
    expect(many.status).toBe(204);
    for (const { _id } of [b, c]) {
      expect(await actionsOf(path, _id)).toEqual(['create 1', 'update 2', 'delete 2']);
    }
  });

  it('before its update runs once, and the update is made to what it wrote', async () => {
    await hook(
      'count',
      `module.exports = async (obj, type, data) => {
        if (obj.n !== undefined) return;
        for (const d of data.updatedDocs) await Model('counted').update({ _id: d._id }, { n: (d.n || 0) + 1 });
      };`,
      ['counted'],
    );
    const path = await shelf('counted', { beforeUpdate: ['count'] });
    const [a, b] = await add(path, { title: 'a' }, { title: 'b' });
    const put = await app.inject('PUT', `${path}/${a._id}`, {
      body: { title: 'c' },
      headers: { 'if-match': '1' },
    });
    expect(put.body.results).toMatchObject([{ title: 'c', n: 1, v: 3 }]);
    const body = { query: { title: { $in: ['b', 'c'] } }, update: { title: 'd' } };
    const many = await app.inject('PUT', path, { body });
    expect(many.body.results).toMatchObject([
      { title: 'd', n: 2, v: 5 },
      { title: 'd', n: 1, v: 3 },
    ]);
    expect(await actionsOf(path, b._id)).toEqual(['create 1', 'update 2', 'update 3']);
  });

  it('does not keep writes by query that come together from ending', async () => {
    const path = '/1.0/library/counted';
    const [a, b] = await add(path, { title: 'x' }, { title: 'x' });
    const send = (title: string) =>
      app.inject('PUT', path, { body: { query: { title: { $regex: '^x' } }, update: { title } } });
    const answers = await Promise.all(['x1', 'x2', 'x3', 'x4'].map(send));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { _id } of [a, b]) {
      expect((await app.inject('GET', `${path}/${_id}`)).body.results).toMatchObject([{ n: 4, v: 9 }]);
    }
  });

  it('may remove it: its removal succeeds, its update finds nothing', async () => {
    await hook(
      'drop',
      `module.exports = async (obj, type, data) => {
        if (type === 'beforeDelete' && data.deletedDocs[0].n === 1) return;
        for (const d of data.deletedDocs || data.updatedDocs) {
          await Model('dropped').update({ _id: d._id }, { n: 1 });
          await Model('dropped').delete({ _id: d._id });
        }
      };`,
      ['dropped'],
    );
    const path = await shelf('dropped', { beforeDelete: ['drop'] });
    const [a] = await add(path, { title: 'a' });
    expect((await app.inject('DELETE', `${path}/${a._id}`)).status).toBe(204);
    expect(await actionsOf(path, a._id)).toEqual(['create 1', 'update 2', 'delete 2']);
    await hook(
      'dropAtUpdate',
      "module.exports = async (obj, type, data) => { if (!obj.gone) await Model('dropped').delete({ title: 'b' }); };",
      ['dropped'],
    );
    await shelf('dropped', { beforeUpdate: ['dropAtUpdate'] });
    const [b] = await add(path, { title: 'b' });
    expect((await app.inject('PUT', `${path}/${b._id}`, { body: { title: 'c' } })).status).toBe(404);
    const [c] = await add(path, { title: 'b' });
    const many = await app.inject('PUT', path, { body: { query: { title: 'b' }, update: { title: 'c' } } });
    expect([many.status, many.body.results]).toEqual([200, []]);
    expect(await actionsOf(path, c._id)).toEqual(['create 1', 'delete 1']);
  });

  it('of a nested document may write the parent', async () => {
    await hook(
      'touchParent',
      `module.exports = async (obj, type) => {
        await Model('parents').update({ title: 'p' }, { n: type === 'beforeCreate' ? 1 : 2 });
      };`,
      ['parents'],
    );
    await shelf('children', { beforeCreate: ['touchParent'], beforeUpdate: ['touchParent'] });
    const child = { type: 'Reference', settings: { collection: 'children' } };
    const path = await shelf('parents', {}, { fields: { child } });
    const [parent] = await add(path, { title: 'p' });
    const put = await app.inject('PUT', `${path}/${parent._id}`, { body: { child: { title: 'new' } } });
    expect(put.body.results).toMatchObject([{ title: 'p', n: 1, v: 3, child: { title: 'new' } }]);
    const sent = put.body.results[0];
    const again = await app.inject('PUT', `${path}/${parent._id}`, {
      body: { title: 'q', child: { ...sent.child, title: 'changed' } },
    });
    expect(again.body.results).toMatchObject([{ title: 'q', n: 2, v: 5, child: { title: 'changed', v: 2 } }]);
  });

  it('before a create may reserve a name, once for each document, nested ones too', async () => {
    const unique = { index: { keys: { title: 1 }, options: { unique: true } } };
    const names = await shelf('names', {}, { settings: unique });
    await hook(
      'reserve',
      "module.exports = (obj) => Model('names').create({ title: obj.title }).then(() => obj);",
      ['names'],
    );
    const inner = await shelf('inner', { beforeCreate: ['reserve'] });
    const child = { type: 'Reference', settings: { collection: 'inner' } };
    const path = await shelf('outer', {}, { fields: { child } });
    const [first] = await add(inner, { title: 'one' });
    expect(first).toMatchObject({ title: 'one', v: 1 });
    const [outer] = await add(path, { title: 'o', child: { title: 'two' } });
    expect(outer.child).toMatchObject({ title: 'two' });
    const taken = await app.inject('POST', path, { body: { child: { title: 'two' } } });
    // What the hook let through: of the document that it wrote.
    expect([taken.status, taken.body.errors]).toMatchObject([
      400,
      [{ field: 'title', code: 'ERROR_UNIQUE' }],
    ]);
    expect((await app.inject('GET', `${names}/count`)).body.metadata.totalCount).toBe(2);
  });

  it('through the hooks of that write, level by level, is refused before it runs without end', async () => {
    await hook(
      'endless',
      "module.exports = (obj, type, data) => Model('loop').update({ _id: data.updatedDocs[0]._id }, { n: 1 });",
      ['loop'],
    );
    const path = await shelf('loop', { beforeUpdate: ['endless'] });
    const [a] = await add(path, { title: 'a' });
    const { status, body } = await app.inject('PUT', `${path}/${a._id}`, { body: { title: 'b' } });
    expect([status, body.errors[0].code, body.errors[0].hookName]).toEqual([400, 'API-0002', 'endless']);
    expect(body.errors[0].message).toContain('too deep');
    expect(await actionsOf(path, a._id)).toEqual(['create 1']);
  });
});
