// `Model` and `fetch` as a policy grants them, over the real server.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { book, LIBRARY, person } from '../helpers/fixtures/library.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let server: EndpointServer;
let workspace: Workspace;
let elsewhere: Server;
let origin: string;

beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    if (request.url === '/private')
      return void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-seen', `${request.headers.authorization}`);
    response.end(
      JSON.stringify({ method: request.method, url: request.url, cookie: request.headers.cookie ?? null }),
    );
  });
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  const { port } = elsewhere.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  workspace = createWorkspace(
    { ...LIBRARY, '1.0/shop/books': LIBRARY['1.0/library/books'] ?? {} },
    { sandbox: { policyFile: 'ceilings.json', secrets: { TOKEN: 'the secret value' } } },
  );
  const collection = { name: '*', actions: ['find', 'count', 'create', 'update', 'delete', 'stats'] };
  const ceilings = {
    version: 1,
    grants: {
      collections: [
        { ...collection, as: 'caller' },
        { ...collection, as: 'client:librarian' },
      ],
      fetch: [{ origin, headers: { authorization: 'secret:TOKEN' } }],
    },
    egress: { allow: [`127.0.0.1:${port}`] },
  };
  writeFileSync(join(workspace.cwd, 'ceilings.json'), JSON.stringify(ceilings));
  server = await startEndpointServer({ workspace });
  await server.userToken('librarian', { collections: [{ path: 'books' }] });
  await server.call('POST', '/1.0/library/people', { body: person(1) });
  const [author] = (await server.get('/1.0/library/people')).body.results;
  const books = Array.from({ length: 30 }, (_, n) => book(n, { author: author._id }));
  await server.call('POST', '/1.0/library/books', { body: books });
});

afterAll(async () => {
  await server.close();
  workspace.remove();
  elsewhere.close();
});

const HEAD =
  'const show = (error) => ({ name: error.name, isError: error instanceof Error, code: error.code });';
let made = 0;

/** What an async expression gives, in an endpoint with these grants. */
async function evaluated(expression: string, grants: JsonObject, options = {}) {
  made += 1;
  const source = `${HEAD} module.exports.get = async (req, res) => {
    try { res.json({ ok: await (${expression}) }); } catch (error) { res.json({ error: show(error) }); }
  };`;
  const path = await server.endpoint(`model-${made}`, source, { version: 1, grants });
  const { status, text, body } = await server.get(path, options);
  if (status !== 200) throw new Error(`the endpoint did not come to its answer: ${status} ${text}`);
  return body;
}

const books = (more: JsonObject = {}) => ({
  collections: [{ name: '1.0/library/books', actions: ['find', 'count'], ...more }],
});

describe('Model', () => {
  it.each(['books', 'library/books', '1.0/library/books'])('finds a grant as %s', async (name) => {
    const { ok } = await evaluated(`Model('${name}').find({}, { limit: 2 })`, books());
    expect(ok.results).toHaveLength(2);
    expect(ok.metadata.totalCount).toBe(30);
  });

  it.each(['people', '1.0/library/people', 'shop/books', '', '__proto__', '../books'])(
    'gives nothing that is not granted: %s',
    async (name) => {
      const answer = await evaluated(`Model('${name}').find()`, books());
      expect(answer).toMatchObject({ error: { isError: true, code: expect.any(String) } });
    },
  );

  it('refuses a short name that two grants have', async () => {
    const collections = ['1.0/library/books', '1.0/shop/books'].map((name) => ({ name, actions: ['find'] }));
    expect((await evaluated("Model('books').find()", { collections })).error.isError).toBe(true);
    expect((await evaluated("Model('shop/books').count()", { collections })).error.code).toBeDefined();
    expect((await evaluated("Model('shop/books').find()", { collections })).ok.metadata.totalCount).toBe(30);
  });

  it('does what is granted, `get` with `find`, and nothing else', async () => {
    const all = [
      'find({})',
      'get({})',
      'count({})',
      'create({ title: "x" })',
      'stats()',
      'delete({ title: "x" })',
    ];
    const outcomes: string[] = [];
    for (const call of all) {
      const { error } = await evaluated(`Model('books').${call}`, books());
      outcomes.push(error === undefined ? 'done' : 'refused');
    }
    expect(outcomes).toEqual(['done', 'done', 'done', 'refused', 'refused', 'refused']);
  });

  it('takes the options of a list, within `maxResults`', async () => {
    const titles = async (options: string, more = {}) => {
      const { ok } = await evaluated(`Model('books').find({}, ${options})`, books(more));
      return ok.results.map(({ title }: { title: string }) => title);
    };
    expect(await titles('{ limit: 2, skip: 1, sort: { title: -1 } }')).toEqual(['Book 0028', 'Book 0027']);
    expect(await titles('{ count: 2, page: 2 }')).toEqual(['Book 0002', 'Book 0003']);
    expect(await titles('{ limit: 20 }', { maxResults: 5 })).toHaveLength(5);
    const { ok } = await evaluated(
      "Model('books').find({}, { limit: 1, fields: { title: 1 }, compose: true })",
      books(),
    );
    expect(Object.keys(ok.results[0]).sort()).toEqual(['_id', 'title']);
  });

  it('acts as the caller', async () => {
    const token = await server.userToken('visitor', {
      collections: [],
      endpoints: [{ path: `model-${made + 1}` }],
    });
    const { error } = await evaluated("Model('books').find()", books(), { token });
    expect(error).toMatchObject({ isError: true, code: expect.any(String) });
  });

  it('acts as a named client where the operator allows it', async () => {
    const token = await server.userToken('reader', {
      collections: [],
      endpoints: [{ path: `model-${made + 1}` }],
    });
    const { ok } = await evaluated("Model('books').count()", books({ as: 'client:librarian' }), { token });
    expect(ok.metadata.totalCount).toBe(30);
    const refused = await server.putPolicy(`model-${made}`, {
      version: 1,
      grants: books({ as: 'client:admin' }),
    });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'grants.collections.0.as']);
  });

  it.each(['{ $where: "1" }', '{ title: { $function: {} } }', '{ $expr: {} }', '[{ $match: {} }]'])(
    'obeys the rules for filters of clients: %s',
    async (filter) => {
      const { error } = await evaluated(`Model('books').find(${filter})`, books());
      expect(error).toMatchObject({ isError: true, code: expect.any(String) });
    },
  );
});

describe('fetch', () => {
  const grant = (more: JsonObject = {}): JsonObject => ({
    fetch: [{ origin, methods: ['GET'], paths: ['/v1/', '/exact', '/private'], ...more }],
  });
  const SHOWN =
    '(async (a) => ({ status: a.status, ok: a.ok, type: a.headers.get("content-type"), body: await a.json() }))';
  const fetched = (url: string, init = '{}', more: JsonObject = {}) =>
    evaluated(`fetch('${url}', ${init}).then(${SHOWN})`, grant(more));

  it('brings status, ok, headers and body', async () => {
    const { ok } = await fetched(`${origin}/v1/a?b=1`);
    expect(ok).toEqual({
      status: 200,
      ok: true,
      type: 'application/json',
      body: { method: 'GET', url: '/v1/a?b=1', cookie: null },
    });
    const lengths = `fetch('${origin}/exact').then(async (a) => [(await a.text()).length])`;
    const bytes = `fetch('${origin}/exact').then(async (a) => [(await a.arrayBuffer()).byteLength])`;
    expect((await evaluated(lengths, grant())).ok).toEqual((await evaluated(bytes, grant())).ok);
  });

  it('reaches prefixes and exact paths of the grant, by its methods, and nothing else', async () => {
    expect((await fetched(`${origin}/exact`)).ok.status).toBe(200);
    for (const path of ['/exact/', '/exact/more', '/v1', '/v2/', '/v1/../v2', '/'])
      expect([path, (await fetched(origin + path)).error?.isError]).toEqual([path, true]);
    expect((await fetched(`${origin}/v1/a`, '{ method: "POST" }')).error.isError).toBe(true);
    expect((await fetched('http://127.0.0.1:1/v1/')).error.isError).toBe(true);
  });

  it('adds secrets that the code never sees', async () => {
    const headers = { authorization: 'secret:TOKEN' };
    const { ok } = await evaluated(
      `fetch('${origin}/v1/a').then((a) => a.headers.get('x-seen'))`,
      grant({ headers }),
    );
    expect(ok).toBe('the secret value');
    const config = (await server.get('/api/config')).text;
    expect(config).not.toContain('the secret value');
  });

  it('follows no redirect to an inner address, and tells no reason', async () => {
    const inner = await fetched(`${origin}/private`);
    const refused = await fetched(`${origin}/never`);
    expect(inner.error).toEqual(refused.error);
  });

  it('is not granted for inner origins that the operator did not list', async () => {
    for (const inner of [
      'http://127.0.0.1:1',
      'http://169.254.169.254',
      'http://localhost:9',
      'http://[::1]:1',
    ]) {
      const fetch = [{ origin: inner, methods: ['GET'], paths: ['/'] }];
      const { status, body } = await server.putPolicy('model-1', { version: 1, grants: { fetch } });
      expect([inner, status, body.errors[0].field]).toEqual([inner, 400, 'grants.fetch.0.origin']);
    }
  });
});
