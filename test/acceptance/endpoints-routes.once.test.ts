// Custom routes, the listing, and removal.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const routed = (route: string) =>
  `module.exports.config = () => ({ route: ${JSON.stringify(route)} });
   module.exports.get = (req, res) => res.json(req.params);`;

describe('a custom route', () => {
  it('replaces the default path, and sub-resources stay', async () => {
    await server.endpoint('by-year', routed('/1.0/archive/:year([0-9]{4})/:month([0-9]{1,2})?'));
    expect((await server.get('/1.0/by-year')).status).toBe(404);
    expect((await server.get('/1.0/archive/1974/5')).body).toEqual({ year: '1974', month: '5' });
    expect((await server.get('/1.0/archive/1974')).body).toEqual({ year: '1974' });
    for (const path of ['/1.0/archive', '/1.0/archive/74', '/1.0/archive/1974/123', '/1.0/archive/1974/5/6'])
      expect([path, (await server.get(path)).status]).toEqual([path, 404]);
    expect((await server.get('/1.0/by-year/config')).status).toBe(200);
    expect((await server.get('/1.0/by-year/policy')).status).toBe(200);
  });

  it('decodes its parameters', async () => {
    await server.endpoint('by-name', routed('/1.0/named/:name'));
    expect((await server.get('/1.0/named/a%20b%2Fc')).body).toEqual({ name: 'a b/c' });
    expect((await server.get('/1.0/named/%C3%A4')).body).toEqual({ name: 'ä' });
    expect((await server.get('/1.0/named/__proto__')).body).toEqual({ name: '__proto__' });
    expect((await server.get('/1.0/named/%zz')).status).toBe(400);
    expect((await server.get('/1.0/named/')).status).toBe(404);
  });

  it('of the older dialect works as it is', async () => {
    await server.endpoint('old-books', routed('/1.0/old-books/:id([a-fA-F0-9]{24})?'));
    expect((await server.get('/1.0/old-books')).body).toEqual({});
    const id = '0123456789abcdefABCDEF01';
    expect((await server.get(`/1.0/old-books/${id}`)).body).toEqual({ id });
    expect((await server.get('/1.0/old-books/123')).status).toBe(404);
  });

  it.each([
    ['another version', '/2.0/other'],
    ['no version', '/other'],
    ['nothing below its version', '/1.0/'],
    ['no slash', '1.0/other'],
    ['nesting', '/1.0/other/:id((a+)+b)'],
    ['a group under a quantifier', '/1.0/other/:id((a|b)*)'],
    ['look-ahead', '/1.0/other/:id(?=a)'],
    ['an optional parameter that is not the last', '/1.0/other/:a?/:b'],
    ['a wildcard', '/1.0/other/*'],
    ['a parameter twice', '/1.0/other/:a/:a'],
    ['a reserved name', '/1.0/search'],
    ['a collection', '/1.0/library/books'],
    ['what lies below a collection', '/1.0/library/:collection/config'],
    ['a path that a collection’s documents have', '/1.0/:database/:collection/:id'],
    ['another endpoint', '/1.0/plain'],
    ['the code of another endpoint', '/1.0/plain/config'],
    ['another endpoint, by a parameter', '/1.0/:anything'],
    ['a path out of itself', '/1.0/../api'],
    ['the code of an endpoint to come', '/1.0/later/config'],
    ['its own policy', '/1.0/other/policy'],
  ])('with %s is 400: %s', async (_title, route) => {
    await server.endpoint('plain', 'module.exports.get = (req, res) => res.end();');
    const { status, body } = await server.post('other', routed(route));
    expect([status, body.errors[0].code, body.errors[0].field]).toEqual([400, 'ENDPOINT_LOAD', 'route']);
    expect((await server.get('/1.0/other/config')).status).toBe(404);
  });

  it('gives way to a collection that comes later, and keeps its other paths', async () => {
    const specification = { fields: { a: { type: 'String' } }, settings: {} };
    const posted = await server.call('POST', '/1.0/archive/1999/config', { body: specification });
    expect(posted.status).toBe(200);
    expect((await server.get('/1.0/archive/1999')).body).toMatchObject({ results: [] });
    expect((await server.get('/1.0/archive/1998')).body).toEqual({ year: '1998' });
  });

  it('below its own name leaves its sub-resources to admins', async () => {
    const open = 'module.exports.model = { settings: { authenticate: false } };';
    await server.endpoint('below', open + routed('/1.0/below/:slug'));
    expect((await server.get('/1.0/below/some', { token: null })).body).toEqual({ slug: 'some' });
    for (const sub of ['config', 'policy', 'versions', 'logs']) {
      expect([sub, (await server.get(`/1.0/below/${sub}`, { token: null })).status]).toEqual([sub, 401]);
      expect([sub, (await server.get(`/1.0/below/${sub}`)).status]).toEqual([sub, 200]);
    }
    expect((await server.get('/1.0/below/suspend')).headers.get('allow')).toBe('POST, DELETE, OPTIONS');
  });

  it('moves with the code, and goes with it', async () => {
    await server.endpoint('moving', routed('/1.0/here'));
    expect((await server.get('/1.0/here')).status).toBe(200);
    await server.endpoint('moving', routed('/1.0/there'));
    expect([(await server.get('/1.0/here')).status, (await server.get('/1.0/there')).status]).toEqual([
      404, 200,
    ]);
    await server.endpoint('moving', 'module.exports.get = (req, res) => res.end();');
    expect([(await server.get('/1.0/there')).status, (await server.get('/1.0/moving')).status]).toEqual([
      404, 200,
    ]);
  });
});

describe('/api/endpoints', () => {
  it('lists all, with their methods', async () => {
    await server.endpoint(
      'listed',
      `module.exports.model = { settings: { displayName: 'A list' } };
       module.exports.get = module.exports.delete = (req, res) => res.end();`,
    );
    const { endpoints } = (await server.get('/api/endpoints')).body;
    const listed = endpoints.find(({ slug }: { slug: string }) => slug === 'listed');
    expect(listed).toEqual({
      version: '1.0',
      name: 'A list',
      slug: 'listed',
      path: '/1.0/listed',
      methods: ['DELETE', 'GET'],
      state: 'active',
      pending: [],
      lastModifiedAt: expect.any(Number),
    });
    const paths = endpoints.map(({ path }: { path: string }) => path);
    expect(paths).toContain('/1.0/old-books/:id([a-fA-F0-9]{24})?');
    expect((await server.get('/api/endpoints', { token: null })).status).toBe(401);
  });
});

describe('DELETE', () => {
  const HELLO = "module.exports.get = (req, res) => { console.log('called'); res.end('hello'); };";
  const POLICY = { version: 1, limits: { cpuMs: 4000 } };

  it('removes code, policy and log, and keeps the versions, which continue', async () => {
    const path = await server.endpoint('removed', HELLO, POLICY);
    await server.get(path);
    expect(await server.logs('removed')).toHaveLength(1);
    const removed = await server.call('DELETE', `${path}/config`);
    expect([removed.status, removed.body.result]).toEqual([200, 'success']);
    for (const sub of ['', '/config', '/policy', '/logs', '/suspend'])
      expect([sub, (await server.get(path + sub)).status]).toEqual([sub, 404]);
    const kept = (await server.get(`${path}/versions`)).body.versions;
    expect(kept).toMatchObject([{ version: 1, active: false }]);
    expect((await server.get(`${path}/versions/1`)).text).toBe(HELLO);
    const folder = join(server.workspace.path, 'endpoints', '1.0');
    expect(existsSync(join(folder, 'endpoint.removed.js'))).toBe(false);
    expect(existsSync(join(folder, 'endpoint.removed.policy.json'))).toBe(false);

    const again = await server.post('removed', HELLO);
    expect(again.body).toMatchObject({ message: 'Endpoint "1.0:removed" created', version: 2 });
    const { versions } = (await server.get(`${path}/versions`)).body;
    expect(versions.map(({ version }: { version: number }) => version).sort()).toEqual([1, 2]);
    expect((await server.get(`${path}/policy`)).body).toEqual({ version: 1 });
    expect(await server.logs('removed')).toEqual([]);
  });

  it('of what is not there is 404', async () => {
    expect((await server.call('DELETE', '/1.0/never/config')).status).toBe(404);
  });
});
