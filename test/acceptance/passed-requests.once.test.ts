// Endpoints and hooks that pass the request that they serve to `Model`, as older code does: what hooks then have as `data.req`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;
let made = 0;

const ACTIONS = ['find', 'count', 'create', 'update', 'delete'];
const GRANTS = {
  collections: ['seen', 'inner'].map((name) => ({ name: `1.0/library/${name}`, actions: ACTIONS })),
};

/** Logs what it has as `data.req`, and is granted one header that is not granted by default. */
const TELL = `module.exports = (obj, type, { req }) => { console.log(JSON.stringify({ type, req })); return obj; };`;

beforeAll(async () => {
  server = await startEndpointServer();
  const put = async (path: string, body: JsonObject) => {
    const { status, text } = await server.call('PUT', path, { body });
    expect([status, text]).toEqual([200, expect.any(String)]);
  };
  const hook = async (name: string, source: string, grants: JsonObject) => {
    const headers = { 'content-type': 'text/plain' };
    const { status, text } = await server.call('POST', `/api/hooks/${name}/config`, {
      body: source,
      headers,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    await put(`/api/hooks/${name}/policy`, { version: 1, grants });
  };
  await hook('tell', TELL, { request: { headers: ['x-visit'] } });
  await hook('tell-inner', TELL, {});
  await hook(
    'ask',
    "module.exports = async (obj, type, { req }) => { await require('@dadi/api').Model('inner').get({}, {}, () => {}, req); await Model('inner').find({ query: {}, req }); return obj; };",
    GRANTS,
  );
  const fields = { title: { type: 'String' } };
  const collection = async (name: string, hooks: JsonObject) => {
    const body = { fields, settings: { hooks } };
    const { status, text } = await server.call('POST', `/1.0/library/${name}/config`, { body });
    expect([status, text]).toEqual([200, expect.any(String)]);
  };
  const all = ['beforeCreate', 'beforeUpdate', 'beforeDelete', 'beforeGet', 'afterGet'];
  await collection('seen', Object.fromEntries(all.map((event) => [event, ['tell']])));
  await collection('inner', { beforeGet: ['tell-inner'] });
  await collection('outer', { beforeGet: ['ask'] });
});

afterAll(() => server.close());

type Told = { type: string; req: JsonObject | null };

/** What the hook has logged since the last time. */
async function told(hook = 'tell'): Promise<Told[]> {
  const { body } = await server.call('GET', `/api/hooks/${hook}/logs?limit=1000`);
  const logs = body.logs.map(({ message }: { message: string }) => JSON.parse(message) as Told);
  const before = seen.get(hook) ?? 0;
  seen.set(hook, logs.length);
  return logs.slice(before);
}
const seen = new Map<string, number>();

/** Posts an endpoint and calls it. */
async function call(code: string, options: JsonObject = {}): Promise<string> {
  made += 1;
  const handler = `async (req, res) => { ${code}; res.end(); }`;
  const source = `module.exports.get = module.exports.post = ${handler};`;
  const path = await server.endpoint(`passing-${made}`, source, { version: 1, grants: GRANTS });
  const { status, text } = await server.call((options['method'] as string) ?? 'POST', `${path}?a=1`, {
    headers: { 'x-visit': 'first', 'x-other': 'no' },
    ...options,
  });
  expect([status, text]).toEqual([200, '']);
  return path;
}

describe('an endpoint that passes its request to Model', () => {
  it.each([
    ['get with a callback', "await new Promise((done) => Model('seen').get({}, {}, done, req))", 2],
    ['get with one object', "await Model('seen').get({ query: {}, req })", 2],
    ['find with a callback', "await new Promise((done) => Model('seen').find({}, {}, done, req))", 2],
    ['count', "await Model('seen').count({ query: {}, req })", 1],
    [
      'create, update and delete',
      `await new Promise((done) => Model('seen').create({ title: 'a' }, {}, done, req));
       await new Promise((done) => Model('seen').update({ title: 'a' }, { title: 'b' }, {}, done, req));
       await new Promise((done) => Model('seen').delete({ title: 'b' }, done, req))`,
      3,
    ],
  ])('shows it to the hooks of the collection: %s', async (_, code, hooks) => {
    await told();
    const path = await call(code, { body: { n: 1 } });
    const requests = (await told()).map(({ req }) => req);
    expect(requests).toHaveLength(hooks);
    for (const req of requests) {
      expect(req).toMatchObject({
        method: 'POST',
        url: `${path}?a=1`,
        path,
        query: { a: '1' },
        body: { n: 1 },
      });
      expect(req!['headers']).toEqual({ 'x-visit': 'first' });
      expect(req!['client']).toMatchObject({ accessType: 'admin' });
    }
  });

  it('does not show another object in its place, whatever it is', async () => {
    await told();
    await call(
      `const forged = { ...req, url: '/forged', client: { clientId: 'x', accessType: 'admin' } };
       await Model('seen').get({ query: {}, req: forged });
       await new Promise((done) => Model('seen').get({}, {}, done, forged));
       await Model('seen').get({}, {})`,
    );
    expect((await told()).map(({ req }) => req)).toEqual([null, null, null, null, null, null]);
  });

  it('shows the request as it came, whatever the code has made of it', async () => {
    await told();
    const path = await call(
      "req.url = '/forged'; req.client = { clientId: 'x' }; req.headers.authorization = 'y'; await Model('seen').count({ query: {}, req })",
    );
    const [{ req } = { req: null }] = await told();
    expect(req).toMatchObject({ url: `${path}?a=1`, headers: { 'x-visit': 'first' } });
    expect(req!['client']).not.toMatchObject({ clientId: 'x' });
  });

  it.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      'a=1&b=%C3%A4+c&a=2&__proto__=x',
      '{"a":["1","2"],"b":"ä c","__proto__":"x"}',
    ],
    ['text', 'text/plain', 'a "b"', '"a \\"b\\""'],
    ['JSON with space around it', 'application/json', ' [1, {"a" : 2}]\n', '[1,{"a":2}]'],
    ['nothing', undefined, undefined, '{}'],
    ['a long text', 'text/plain', 'x'.repeat(70_000), undefined],
    ['a text that is long as JSON', 'text/plain', '"'.repeat(40_000), undefined],
    ['a long list', 'application/json', JSON.stringify(['x'.repeat(20_000)]), undefined],
  ])('tells them its body: %s', async (_, type, body, shown) => {
    await told();
    const headers = type === undefined ? {} : { 'content-type': type };
    await call("await Model('seen').count({ query: {}, req })", {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const [{ req } = { req: null }] = await told();
    expect(req).not.toBeNull();
    expect(JSON.stringify(req!['body'])).toBe(shown);
  });
});

it('a hook that passes its `data.req` to Model shows it to the hooks of the other collection', async () => {
  await server.call('GET', '/1.0/library/outer?x=1');
  const requests = (await told('tell-inner')).map(({ req }) => req);
  expect(requests).toHaveLength(2);
  for (const req of requests)
    expect(req).toMatchObject({ method: 'GET', url: '/1.0/library/outer?x=1', body: {} });
});
