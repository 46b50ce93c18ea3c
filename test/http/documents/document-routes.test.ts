import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { createTitled, PATH, startDocumentApp, UNKNOWN } from './document-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startDocumentApp();
});

afterAll(() => app.close());

const create = (title: string, path = PATH) => createTitled(app, title, path);

describe('tags and preconditions', () => {
  it('spare who has the answer already', async () => {
    const { _id } = await create('tagged');
    const first = await app.inject('GET', `${PATH}/${_id}`);
    const headers = { 'if-none-match': String(first.headers['etag']) };
    expect((await app.inject('GET', `${PATH}/${_id}`, { headers })).status).toBe(304);
    await app.inject('PUT', `${PATH}/${_id}`, { body: { pages: 1 } });
    expect((await app.inject('GET', `${PATH}/${_id}`, { headers })).status).toBe(200);
  });

  it('guard an update and a deletion', async () => {
    const { _id } = await create('guarded');
    const path = `${PATH}/${_id}`;
    const { headers } = await app.inject('GET', path);
    const etag = String(headers['etag']);
    const put = (ifMatch: string) =>
      app.inject('PUT', path, { body: { pages: 1 }, headers: { 'if-match': ifMatch } });
    expect((await put('"7"')).status).toBe(412);
    expect((await put('nonsense')).status).toBe(400);
    expect((await put(etag)).status).toBe(200);
    expect((await put(etag)).status).toBe(412);
    expect((await put('2')).status).toBe(200);
    expect((await put('"3"')).status).toBe(200);
    expect((await put('*')).status).toBe(200);
    const remove = (ifMatch: string) => app.inject('DELETE', path, { headers: { 'if-match': ifMatch } });
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"5"')).status).toBe(204);
  });
});

describe('methods', () => {
  it.each([
    ['PATCH', '', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
    ['PATCH', `/${UNKNOWN}`, 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
    ['POST', '/count', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/stats', 'GET, HEAD, OPTIONS'],
    ['PUT', `/${UNKNOWN}/history`, 'GET, HEAD, OPTIONS'],
  ])('%s …%s is 405', async (method, path, allow) => {
    const { status, headers } = await app.inject(method, PATH + path);
    expect([status, headers['allow']]).toEqual([405, allow]);
  });

  it('of a collection of revisions only read', async () => {
    await create('revised');
    const { status, body } = await app.inject('GET', '/1.0/library/booksHistory');
    expect([status, body.results.length > 0]).toEqual([200, true]);
    const refused = await app.inject('POST', '/1.0/library/booksHistory', { body: { title: 'forged' } });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('the cache of responses', () => {
  it('never serves what was written over', async () => {
    const cached = await startApp({ config: { cache: true } });
    const { body } = await cached.inject('POST', '/1.0/library/people', { body: { name: 'Ann' } });
    const person = body.results[0]._id;
    const book = await cached.inject('POST', PATH, { body: { title: 'x', author: person } });
    const path = `${PATH}/${book.body.results[0]._id}?compose=true`;
    const read = async (at: string) => {
      const { headers, body: answer } = await cached.inject('GET', at);
      return [headers['x-cache'], headers['x-cache-lookup'], answer.results?.[0]?.author?.name];
    };
    expect(await read(path)).toEqual(['MISS', 'MISS', 'Ann']);
    expect(await read(path)).toEqual(['HIT', 'HIT', 'Ann']);
    expect(await read(`${path}&cache=false`)).toEqual(['MISS', 'HIT', 'Ann']);
    await cached.inject('PUT', `/1.0/library/people/${person}`, { body: { name: 'Bea' } });
    expect(await read(path)).toEqual(['MISS', 'MISS', 'Bea']);
    await cached.inject('DELETE', PATH, { body: { query: {}, all: true } });
    expect((await cached.inject('GET', path)).status).toBe(404);
    await cached.close();
  });

  it('may lie in files', async () => {
    const cached = await startApp({ config: { cache: { enabled: true, engine: 'filesystem' } } });
    const lookup = async () => (await cached.inject('GET', PATH)).headers['x-cache'];
    expect([await lookup(), await lookup()]).toEqual(['MISS', 'HIT']);
    await cached.inject('POST', PATH, { body: { title: 'x' } });
    expect(await lookup()).toBe('MISS');
    await cached.close();
  });
});
