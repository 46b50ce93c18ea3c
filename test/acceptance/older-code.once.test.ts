// Hooks and endpoints as the older servers had them: how they call `Model`, what `data.req` and `Config` hold, how they refuse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const ACTIONS = ['find', 'count', 'create', 'update', 'delete', 'stats'];
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

async function post(module: string, source: string, grants: JsonObject = {}) {
  const headers = { 'content-type': 'text/plain' };
  const posted = await app.inject('POST', `${module}/config`, { body: source, headers });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  const put = await app.inject('PUT', `${module}/policy`, { body: { grants } });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
}

const granting = (...names: string[]) => ({
  collections: names.map((name) => ({ name: `1.0/library/${name}`, actions: ACTIONS })),
});

async function shelf(name: string, hooks: JsonObject = {}, fields: JsonObject = {}) {
  const path = `/1.0/library/${name}`;
  const all = { title: { type: 'String' }, n: { type: 'Number' }, ...fields };
  const { status, text } = await app.inject('POST', `${path}/config`, {
    body: { fields: all, settings: { storeRevisions: true, hooks } },
  });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return path;
}

/** What an endpoint with this body answers. */
async function answer(name: string, code: string, grants: JsonObject) {
  await post(`/1.0/${name}`, `module.exports.get = async (req, res) => { ${code} };`, grants);
  const { status, body } = await app.inject('GET', `/1.0/${name}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

async function logOf(module: string): Promise<string[]> {
  const { body } = await app.inject('GET', `${module}/logs`);
  return body.logs.map(({ level, message }: { level: string; message: string }) => `${level} ${message}`);
}

describe('Model', () => {
  it('takes one object with all of a call, and its callback forms', async () => {
    await shelf('stock');
    const code = `
      const { Model } = require('@dadi/api');
      const stock = Model('stock');
      const created = await stock.create({ documents: [{ title: 'a', n: 1 }, { title: 'b', n: 2 }], internals: { _createdBy: 'x' }, req });
      const one = await stock.create({ documents: { title: 'c', n: 3 } });
      const found = await stock.find({ query: { n: { $gt: 1 } }, options: { limit: 1, sort: { n: -1 } } });
      const got = await stock.get({ query: { title: 'a' }, req });
      const counted = await stock.count({ query: { n: { $lt: 3 } } });
      const updated = await stock.update({ query: { title: 'a' }, update: { n: 10 }, internals: {}, req });
      const deleted = await stock.delete({ query: { title: 'b' }, req });
      const called = await new Promise((resolve) => stock.find({ n: 10 }, { fields: { title: 1 } }, (error, result) => resolve(result.results.length)));
      const stats = await new Promise((resolve) => stock.getStats((error, result) => resolve(result.count)));
      res.json([created.results.length, one.results.length, found.results.map((each) => each.n), got.results.length, counted.metadata.totalCount,
        updated.results[0].n, deleted.deleted, called, stats]);`;
    expect(await answer('forms', code, granting('stock'))).toEqual([2, 1, [3], 1, 2, 10, 1, 1, 2]);
  });

  it('refuses one object where it may be a query for a field of that name', async () => {
    await shelf('searches', {}, { query: { type: 'Object' }, documents: { type: 'Mixed' } });
    const code = `
      const searches = Model('searches');
      await searches.create([{ query: { a: 1 } }], {});
      const refused = await searches.find({ query: { a: 1 } }).catch((error) => [error.code, error.message]);
      const notCreated = await searches.create({ documents: [{}] }).catch((error) => error.code);
      const found = await searches.find({ query: { a: 1 } }, {});
      res.json([refused, notCreated, found.results.length]);`;
    const [refused, notCreated, found] = await answer('ambiguous', code, granting('searches'));
    expect(refused).toEqual(['BAD_ARGUMENTS', expect.stringContaining('field `query`')]);
    expect([notCreated, found]).toEqual(['BAD_ARGUMENTS', 1]);
  });

  it('lists revisions, and leaves a query to castToBSON as it is', async () => {
    const path = await shelf('drafts');
    const { results } = (await app.inject('POST', path, { body: { title: 'one' } })).body;
    await app.inject('PUT', `${path}/${results[0]._id}`, { body: { title: 'two' } });
    const code = `
      const drafts = Model('drafts');
      const [{ _id }] = (await drafts.find({})).results;
      const titles = (list) => list.map((each) => each.title);
      const called = await new Promise((resolve) => drafts.revisions(_id, {}, (error, list) => resolve(titles(list))));
      const query = { _id };
      res.json([titles(await drafts.revisions(_id)), titles(await drafts.getRevisions({ id: _id })), called,
        await drafts.revisions('0123456789abcdef01234567'), drafts.castToBSON(query) === query]);`;
    expect(await answer('revisions', code, granting('drafts'))).toEqual([
      ['one', 'two'],
      ['one', 'two'],
      ['one', 'two'],
      [],
      true,
    ]);
  });
});

describe('Model.find as older code calls it', () => {
  const peek = (call: string) => `
    const { Model } = require('@dadi/api');
    module.exports = (obj, type, data) => new Promise((resolve, reject) => {
      ${call}
    });`;

  it.each([
    ['a-callback', 'Model(data.collection).find({}, { limit: 1 }, done)'],
    [
      'an-object',
      'Model(data.collection).find({ query: {}, options: { limit: 1 } }).then((found) => done(null, found), done)',
    ],
  ])('does not run the hooks of reads of the collection whose hook calls it, with %s', async (name, call) => {
    await post(
      `/api/hooks/peek-${name}`,
      peek(`const done = (error, found) => {
        if (error) return reject(error);
        obj.metadata.peeked = found.results.length;
        resolve(obj);
      };
      ${call};`),
      granting(`peeked-${name}`),
    );
    const path = await shelf(`peeked-${name}`, { afterGet: [`peek-${name}`] });
    await app.inject('POST', path, { body: { title: 'a' } });
    const { status, body } = await app.inject('GET', path);
    expect([status, body.metadata.peeked]).toEqual([200, 1]);
  });

  it('still hides what the caller may not see', async () => {
    await post(
      '/api/hooks/show',
      peek(`Model(data.collection).find({}, {}, (error, found) => {
        if (error) return reject(error);
        obj.metadata.seen = found.results.map(({ title, n }) => ({ title, n }));
        resolve(obj);
      });`),
      granting('partly'),
    );
    const path = await shelf(
      'partly',
      { afterGet: ['show'] },
      { n: { type: 'Number', access: { read: ['client:librarian'] } } },
    );
    await app.inject('POST', path, { body: { title: 'a', n: 5 } });
    const token = await app.userToken('reader', { collections: [{ path: 'partly' }] });
    const { status, body } = await app.inject('GET', path, { token });
    expect([status, body.metadata.seen]).toEqual([200, [{ title: 'a' }]]);
  });

  it('runs them from the hook of another collection, as `get` does from its own', async () => {
    await post(
      '/api/hooks/stamp',
      "module.exports = (obj) => { obj.results.forEach((each) => { each.title += '!'; }); return obj; };",
    );
    await shelf('stamped', { afterGet: ['stamp'] });
    await app.inject('POST', '/1.0/library/stamped', { body: { title: 'a' } });
    await post(
      '/api/hooks/copy',
      peek(`Model('stamped').find({}, {}, (error, found) => {
        if (error) return reject(error);
        obj.title = found.results[0].title;
        resolve(obj);
      });`),
      granting('stamped'),
    );
    const path = await shelf('copies', { beforeCreate: ['copy'] });
    const { body } = await app.inject('POST', path, { body: { title: 'b' } });
    expect(body.results[0].title).toBe('a!');
  });
});

describe('data.req of a hook', () => {
  const telling =
    'module.exports = (obj, type, { req }) => ({ ...obj, title: JSON.stringify([req.body, req.params.id ?? null, req.query, req.path]) });';

  it('has the body, parameters and query of the request', async () => {
    await post('/api/hooks/tell', telling);
    const path = await shelf('told', { beforeCreate: ['tell'], beforeUpdate: ['tell'] });
    const titleOf = async (method: string, at: string, body: JsonObject) =>
      JSON.parse((await app.inject(method, at, { body })).body.results[0].title);
    expect(await titleOf('POST', `${path}?x=1`, { n: 1 })).toEqual([{ n: 1 }, null, { x: '1' }, path]);
    const [{ _id }] = (await app.inject('GET', path)).body.results;
    expect(await titleOf('PUT', `${path}/${_id}`, { n: 2 })).toEqual([{ n: 2 }, _id, {}, `${path}/${_id}`]);
    const update = { query: { n: 2 }, update: { n: 3 } };
    expect(await titleOf('PUT', path, update)).toEqual([update, null, {}, path]);
  });

  it('has no body that is too long, and an empty one for reads', async () => {
    await post(
      '/api/hooks/measure',
      "module.exports = (obj, type, { req }) => { if (type === 'afterGet') obj.metadata.body = req.body; else obj.n = req.body === undefined ? -1 : JSON.stringify(req.body).length; return obj; };",
    );
    const path = await shelf('measured', { beforeCreate: ['measure'], afterGet: ['measure'] });
    const lengths = [];
    for (const body of [
      { title: 'x'.repeat(60_000) },
      { title: 'x'.repeat(70_000) },
      [{ title: 'x'.repeat(20_000) }],
    ]) {
      lengths.push((await app.inject('POST', path, { body })).body.results[0].n);
    }
    expect(lengths).toEqual([60_012, -1, -1]);
    expect((await app.inject('GET', path)).body.metadata.body).toEqual({});
  });
});

describe('Config', () => {
  const grants = { config: { 'email.from': 'a@b.example', email: { host: 'mail.example', ports: [25] } } };

  it('answers what the policy has, by name and by path, anew for each request', async () => {
    const code = `
      const { Config, Model } = require('@dadi/api');
      const ports = Config.get('email.ports'); ports.push(1);
      const missing = (() => { try { return Config.get('auth.secret'); } catch (error) { return error.message; } })();
      const odd = ['__proto__', 'constructor', 'email.constructor', 'toString'].map((name) => { try { Config.get(name); return name; } catch { return null; } });
      res.json([Config.get('email.from'), Config.get('email').host, Config.get('email.host'), ports.length, missing, odd, typeof Model]);`;
    const first = await answer('config', code, grants);
    expect(first).toEqual([
      ...['a@b.example', 'mail.example', 'mail.example', 2],
      '`auth.secret` is not among `grants.config` of the policy of this module',
      [null, null, null, null],
      'undefined',
    ]);
    expect((await app.inject('GET', '/1.0/config')).body).toEqual(first);
  });

  it('may be asked where the module is evaluated', async () => {
    const source =
      "const from = require('@dadi/api').Config.get('email.from'); module.exports.get = (req, res) => res.json(from);";
    await post('/1.0/early', source, grants);
    expect((await app.inject('GET', '/1.0/early')).body).toBe('a@b.example');
  });

  it('is an object in the policy', async () => {
    const { status, body } = await app.inject('PUT', '/1.0/early/policy', {
      body: { grants: { config: ['a'] } },
    });
    expect([status, body.errors[0].field]).toEqual([400, 'grants.config']);
  });
});

describe('a hook', () => {
  it('that rejects with a list of fields is answered with it', async () => {
    const list = [
      { field: 'title', message: 'is taken' },
      { field: 'n', message: 'is too small' },
    ];
    await post('/api/hooks/rejects', `module.exports = () => Promise.reject(${JSON.stringify(list)});`);
    const path = await shelf('rejected', { beforeCreate: ['rejects'] });
    const { status, body } = await app.inject('POST', path, { body: { title: 'a' } });
    expect([status, body.errors]).toEqual([400, list.map((each) => expect.objectContaining(each))]);
  });

  it('that leaves work behind has one line in its log', async () => {
    await post(
      '/api/hooks/leaves',
      `const { Model } = require('@dadi/api');
      module.exports = (obj, type, data) => {
        setTimeout(() => Model('left').update({ title: 'a' }, { n: 9 }, () => {}), 30);
        setTimeout(() => {}, 40);
        return obj;
      };`,
      granting('left'),
    );
    const path = await shelf('left', { beforeCreate: ['leaves'] });
    expect((await app.inject('POST', path, { body: { title: 'a' } })).status).toBe(200);
    const lines = await logOf('/api/hooks/leaves');
    expect(lines).toEqual([
      expect.stringMatching(/^warn The hook returned while 2 of its timers and calls were open/),
    ]);
  });
});
