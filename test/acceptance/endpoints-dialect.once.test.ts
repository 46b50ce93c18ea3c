// Code written for the older server of this dialect runs as it is: raw `res`, `req.url`, `require('@dadi/api')`, callbacks.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const ALL = ['find', 'count', 'create', 'update', 'delete', 'stats'];
const BOOKS: JsonObject = {
  version: 1,
  grants: { collections: [{ name: '1.0/library/books', actions: ALL }] },
};

describe('handlers', () => {
  it('use `res` as Node’s own', async () => {
    const path = await server.endpoint(
      'raw',
      `
/**
 * Adds a greeting to everything.
 */
module.exports.get = function (req, res, next) {
  res.setHeader('content-type', 'application/json')
  res.statusCode = 200
  res.end(JSON.stringify({ message: 'Hello World' }))
}

module.exports.post = function (req, res, next) {
  res.writeHead(201, { 'Content-Type': 'text/plain' })
  res.write('created ')
  res.end(Object.keys(req.body).join())
}
`,
    );
    const got = await server.get(path);
    expect([got.status, got.headers.get('content-type'), got.body]).toEqual([
      200,
      'application/json',
      { message: 'Hello World' },
    ]);
    const posted = await server.call('POST', path, { body: { a: 1, b: 2 } });
    expect([posted.status, posted.text, posted.headers.get('content-type')]).toEqual([
      201,
      'created a,b',
      'text/plain',
    ]);
  });

  it('parse `req.url` themselves', async () => {
    const path = await server.endpoint(
      'parsing',
      `module.exports.get = (req, res) => {
        var url = new URL(req.url, 'http://localhost');
        res.end(url.searchParams.get('name') + ' ' + req.url.split('?')[1]);
      }`,
    );
    expect((await server.get(`${path}?name=Ursula`)).text).toBe('Ursula name=Ursula');
  });

  it('pass on with `next`, errors with a status', async () => {
    const path = await server.endpoint(
      'passing',
      `module.exports.get = function (req, res, next) {
        if (!req.url.includes('fail')) return next()
        var err = new Error('Not allowed')
        err.statusCode = 403
        err.json = { code: 'X' }
        return next(err)
      }`,
    );
    expect((await server.get(path)).status).toBe(404);
    expect((await server.get(`${path}?fail`)).status).toBe(403);
  });

  it.each([
    ['module.exports.model = { settings: { authenticate: false } };', [200, 200]],
    ['module.exports.model = { settings: { authenticate: true } };', [401, 401]],
    ["module.exports.model = { settings: { authenticate: ['POST', 'PUT', 'DELETE'] } };", [200, 401]],
    ["module.exports.model = {}; module.exports.model.settings = { authenticate: ['GET'] };", [401, 200]],
    ['module.exports.model = { settings: { cache: true } };', [401, 401]],
    ['module.exports.model = {};', [401, 401]],
    ['', [401, 401]],
  ])('authenticate as they say: %s', async (settings, expected) => {
    const path = await server.endpoint(
      'settings',
      `module.exports.get = module.exports.post = (req, res) => res.end();\n${settings}`,
    );
    const statuses = [];
    for (const method of ['GET', 'POST'])
      statuses.push((await server.call(method, path, { token: null })).status);
    expect(statuses).toEqual(expected);
  });

  it('are exported in any of the usual ways', async () => {
    const ways = [
      'exports.get = (req, res) => res.end("x");',
      'module.exports = { get(req, res) { res.end("x"); } };',
      'class Books { get(req, res) { res.end("x"); } } module.exports = new Books();',
      'this.get = (req, res) => res.end("x");',
      'var self = module.exports = {}; self.get = function (req, res) { res.end("x"); };',
    ];
    for (const way of ways) {
      expect([way, (await server.post('ways', way)).status]).toEqual([way, 200]);
      expect([way, (await server.get('/1.0/ways')).text]).toEqual([way, 'x']);
    }
  });
});

describe("require('@dadi/api').Model, with callbacks", () => {
  it('creates, finds, counts, updates, deletes', async () => {
    const path = await server.endpoint(
      'library-desk',
      `const Model = require('@dadi/api').Model;
       module.exports.post = function (req, res, next) {
         Model('books').create(req.body, { createdBy: 'x', apiVersion: '1.0' }, function (err, result) {
           if (err) return next(err);
           res.statusCode = 201;
           res.end(JSON.stringify(result));
         }, req);
       };
       module.exports.get = function (req, res, next) {
         Model('books').find({ pages: { $gt: 100 } }, { limit: 2, skip: 0, sort: { title: 1 }, fields: { title: 1 } }, (err, found) => {
           if (err) return next(err);
           Model('books').count({}, {}, (err, counted) => {
             if (err) return next(err);
             res.json({ found, counted });
           });
         });
       };
       module.exports.put = (req, res, next) =>
         Model('books').update({ title: 'B' }, { pages: 999 }, { lastModifiedBy: 'x' }, (err, done) => err ? next(err) : res.json(done), req);
       module.exports.delete = (req, res, next) =>
         Model('books').delete({ title: 'C' }, (err, done) => err ? next(err) : res.json({ done }));`,
      BOOKS,
    );
    const sent = [
      { title: 'A', pages: 50 },
      { title: 'B', pages: 150 },
      { title: 'C', pages: 250 },
    ];
    const created = await server.call('POST', path, { body: sent });
    expect([created.status, created.body.results.length, created.body.results[0].title]).toEqual([
      201,
      3,
      'A',
    ]);
    const { found, counted } = (await server.get(path)).body;
    expect(found.results.map(({ title }: { title: string }) => title)).toEqual(['B', 'C']);
    expect(found.metadata).toMatchObject({ totalCount: 2, limit: 2 });
    expect(counted.metadata.totalCount).toBe(3);
    expect((await server.call('PUT', path)).body.results).toMatchObject([{ title: 'B', pages: 999 }]);
    expect((await server.call('DELETE', path)).status).toBe(200);
    const { results } = (await server.get('/1.0/library/books?cache=false')).body;
    expect(results.map(({ title }: { title: string }) => title)).toEqual(['A', 'B']);
  });

  it('gives an error with a code, and no second call of the callback', async () => {
    const path = await server.endpoint(
      'failing-desk',
      `const { Model } = require('@dadi/api');
       module.exports.post = (req, res) => {
         let calls = 0;
         Model('books').create({ pages: 'many' }, {}, (err, result) => {
           calls += 1;
           setTimeout(() => res.json({ calls, isError: err instanceof Error, code: err.code, errors: err.errors, result }), 5);
         });
       };`,
      BOOKS,
    );
    const { body } = await server.call('POST', path);
    expect(body).toMatchObject({ calls: 1, isError: true, code: expect.any(String) });
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['pages', 'title']);
  });

  it('whose error goes to `next` answers as the collection would, field by field', async () => {
    const path = await server.endpoint(
      'passing-desk',
      `const { Model } = require('@dadi/api');
       module.exports.post = (req, res, next) =>
         Model('books').create({ pages: 'many' }, {}, (err, result) => err ? next(err) : res.json(result));`,
      BOOKS,
    );
    const { status, body } = await server.call('POST', path);
    const direct = await server.call('POST', '/1.0/library/books', { body: { pages: 'many' } });
    expect([status, body]).toEqual([400, direct.body]);
  });

  it('throws from a callback as from a handler: 500, and the server goes on', async () => {
    const path = await server.endpoint(
      'throwing-desk',
      "module.exports.get = (req, res) => Model('books').find({}, {}, () => { throw new Error('late'); });",
      BOOKS,
    );
    expect((await server.get(path)).status).toBe(500);
    expect((await server.get(path)).status).toBe(500);
  });
});

describe('hooks', () => {
  const FIELDS = { title: { type: 'String' }, slug: { type: 'String' } };

  it('of files `(obj, type, data)`, named in both forms', async () => {
    const folder = join(server.workspace.path, 'hooks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'slugify.js'),
      `// Takes a field and makes a slug of it.
const slugify = text => text.toLowerCase().replace(/[^a-z]+/g, '-')
module.exports = function (obj, type, data) {
  const { from, to } = data.options || { from: 'title', to: 'slug' }
  if (!obj[from]) return obj
  obj[to] = slugify(obj[from])
  return obj
}
`,
    );
    const hooks = async () => (await server.get('/api/hooks')).body.hooks;
    await expect.poll(hooks, { interval: 20 }).toMatchObject([{ name: 'slugify' }]);
    for (const [name, beforeCreate] of [
      ['short', ['slugify']],
      ['long', [{ hook: 'slugify', options: { from: 'title', to: 'slug' } }]],
    ] as const) {
      const body = { fields: FIELDS, settings: { hooks: { beforeCreate } } };
      expect((await server.call('POST', `/1.0/library/${name}/config`, { body })).status).toBe(200);
      const created = await server.call('POST', `/1.0/library/${name}`, { body: { title: 'A B' } });
      expect(created.body.results[0].slug).toBe('a-b');
      const read = (await server.get(`/1.0/library/${name}/config`)).body;
      expect(read.settings.hooks).toEqual({ beforeCreate });
    }
  });

  it('are posted, replaced, read and removed over /api/hooks', async () => {
    const send = (method: string, body: string) =>
      server.call(method, '/api/hooks/lower/config', { body, headers: { 'content-type': 'text/plain' } });
    const source = 'module.exports = (obj) => obj;';
    expect((await send('PUT', source)).status).toBe(404);
    expect((await send('POST', source)).body).toMatchObject({ message: 'Hook "lower" created' });
    const twice = await send('POST', source);
    expect([twice.status, twice.body.errors[0].code]).toEqual([409, 'NAME_TAKEN']);
    expect((await send('PUT', `${source}\n`)).body).toMatchObject({
      message: 'Hook "lower" updated',
      version: 2,
    });
    expect((await server.get('/api/hooks/lower/config')).text).toBe(`${source}\n`);
    expect((await server.get('/api/hooks/lower/policy')).body).toEqual({ version: 1 });
    expect((await server.get('/api/hooks/lower/versions')).body.versions).toHaveLength(2);
    expect((await server.get('/api/hooks/lower/versions/1/diff/2')).status).toBe(200);
    expect((await server.call('POST', '/api/hooks/lower/versions/1/rollback')).status).toBe(200);
    expect((await server.get('/api/hooks/lower/logs')).body).toEqual({ logs: [] });
    expect((await server.call('POST', '/api/hooks/lower/suspend')).status).toBe(200);
    expect((await server.call('DELETE', '/api/hooks/lower/suspend')).status).toBe(200);
    expect((await server.call('DELETE', '/api/hooks/lower/config')).status).toBe(200);
    expect((await server.get('/api/hooks/lower/config')).status).toBe(404);
  });

  it('that are no function, or no code, are refused like endpoints', async () => {
    const send = (body: string) =>
      server.call('POST', '/api/hooks/odd/config', { body, headers: { 'content-type': 'text/plain' } });
    for (const [source, code] of [
      ['module.exports = 1;', 'ENDPOINT_LOAD'],
      ['const a = ;', 'ENDPOINT_SYNTAX'],
    ] as const) {
      const { status, body } = await send(source);
      expect([status, body.errors[0].code]).toEqual([400, code]);
    }
  });
});
