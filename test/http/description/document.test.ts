// `GET /docs/openapi.json` as a document: when it changes, when it need not be sent again, and who gets none.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../../helpers/app/endpoint-server.ts';
import { operationsOf } from './described-operations.ts';

const PATH = '/docs/openapi.json';
const TEXT = { fields: { text: { type: 'String' } }, settings: {} };

let server: EndpointServer;
beforeAll(async () => {
  server = await startEndpointServer({ config: { server: { name: 'A described server' } } });
});
afterAll(() => server.close());

const read = async (token?: string | null): Promise<JsonObject> =>
  (await server.get(PATH, token === undefined ? {} : { token })).body;
const idsOf = (document: JsonObject) => operationsOf(document).map(({ id }) => id);
const etagOf = async (token?: string | null) =>
  (await server.get(PATH, token === undefined ? {} : { token })).headers.get('etag') ?? '';

it('the description has an ETag, with which it is sent once, and none of a cache that others share', async () => {
  const answer = await server.get(PATH);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  expect(answer.headers.get('vary')).toContain('Authorization');
  const etag = answer.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await server.get(PATH, { headers: { 'if-none-match': sent } });
    expect([again.status, again.text], sent).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(etag);
  }
  expect((await server.get(PATH, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

it('HEAD answers as GET does, without the body', async () => {
  const head = await server.call('HEAD', PATH);
  const get = await server.get(PATH);
  expect([head.status, head.text]).toEqual([200, '']);
  for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary']) {
    expect(head.headers.get(name), name).toBe(get.headers.get(name));
  }
  const other = await server.call('POST', PATH, { body: {} });
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

it('a bad token is refused, no token is not', async () => {
  const bad = await server.get(PATH, { token: 'bad' });
  expect(bad.status).toBe(401);
  expect(bad.body.errors[0].message).toEqual(expect.any(String));
  expect((await server.get(PATH, { token: null })).status).toBe(200);
});

it('callers with the same rights are told the same, others are not', async () => {
  const [first, second] = [await server.userToken('first'), await server.userToken('second')];
  const reader = await server.userToken('reads', { actions: ['read'] });
  expect(await etagOf(first)).toBe(await etagOf(second));
  expect(new Set([await etagOf(), await etagOf(null), await etagOf(first), await etagOf(reader)]).size).toBe(
    4,
  );
});

it('a change of a specification is in it at once, and ids of operations stay', async () => {
  const before = await read();
  const etag = await etagOf();
  await server.call('POST', '/1.0/library/added/config', { body: TEXT });
  const after = await read();
  expect(await etagOf()).not.toBe(etag);
  const added = idsOf(after).filter((id) => !idsOf(before).includes(id));
  expect(added.length).toBeGreaterThan(5);
  expect(added.every((id) => id.endsWith('_1_0__library__added'))).toBe(true);
  expect(idsOf(after).filter((id) => !added.includes(id))).toEqual(idsOf(before));

  const more = { fields: { ...TEXT.fields, second: { type: 'Number' } }, settings: {} };
  await server.call('POST', '/1.0/library/added/config', { body: more });
  const { schemas } = (await read())['components'] as { schemas: Readonly<Record<string, JsonObject>> };
  expect(schemas['doc_1_0__library__added']?.['properties']).toHaveProperty('second');

  expect((await server.call('DELETE', '/1.0/library/added/config')).status).toBe(200);
  expect(await read()).toEqual(before);
  expect(await etagOf()).toBe(etag);
});

it('a change of an endpoint is in it at once', async () => {
  const calls = async () => idsOf(await read()).filter((id) => id.startsWith('call'));
  await server.endpoint('added', 'exports.get = (req, res) => res.json({});');
  expect(await calls()).toEqual(['callGet_1_0__added']);
  await server.endpoint('added', 'exports.post = (req, res) => res.json({});');
  expect(await calls()).toEqual(['callPost_1_0__added']);
  await server.call('POST', '/1.0/added/versions/1/rollback', { body: {} });
  expect(await calls()).toEqual(['callGet_1_0__added']);
  await server.call('DELETE', '/1.0/added/config');
  expect(await calls()).toEqual([]);
});

it('a change of the rights of a client is in it at once', async () => {
  const token = await server.userToken('changed', { actions: ['read'] });
  const writes = async () => idsOf(await read(token)).some((id) => id.startsWith('createDocuments'));
  expect(await writes()).toBe(false);
  const body = { permissions: { actions: ['read', 'create'] } };
  expect((await server.call('PUT', '/api/clients/changed', { body })).status).toBe(200);
  await expect.poll(writes).toBe(true);
});

it('it says whose description it is, and where the server is', async () => {
  const { info, servers } = await read();
  expect(info).toMatchObject({ title: 'A described server', version: expect.any(String) });
  expect(servers).toEqual([{ url: '/' }]);
  const config = { publicUrl: 'https://content.example.org' };
  const elsewhere = await startEndpointServer({ specs: {}, config });
  try {
    expect((await elsewhere.get(PATH)).body.servers).toEqual([{ url: 'https://content.example.org' }]);
  } finally {
    await elsewhere.close();
  }
});

it('with docs.enabled: false there is nothing below /docs', async () => {
  const closed = await startEndpointServer({ specs: {}, config: { docs: { enabled: false } } });
  try {
    for (const path of ['/docs', PATH, '/docs/anything']) {
      expect((await closed.get(path)).status, path).toBe(404);
    }
  } finally {
    await closed.close();
  }
});
