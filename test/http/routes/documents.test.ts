import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app.ts';
import { BOOKS, PEOPLE } from '../../helpers/fixtures.ts';

const UNKNOWN = '0123456789abcdef01234567';
const PATH = '/1.0/library/books';
const spec = (settings: object, fields: object = { title: {} }) => ({ fields, settings }) as typeof BOOKS;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    specs: {
      '1.0/library/books': BOOKS,
      '1.0/library/people': PEOPLE,
      '1.0/library/booksHistory': spec({}),
      '1.0/library/open': spec({ authenticate: false }),
      '1.0/library/writable': spec({ authenticate: ['GET', 'PUT', 'DELETE'] }),
      '1.0/library/pictures': spec({ type: 'media' }),
      '1.0/library/jsonp': spec({ callback: 'show' }),
      '1.0/library/named': spec({}, { query: { type: 'Object' }, update: { type: 'Object' } }),
    },
  });
});

afterAll(() => app.close());

async function create(title: string, path = PATH) {
  const { status, body } = await app.inject('POST', path, { body: { title } });
  expect(status).toBe(200);
  return body.results[0];
}

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;
const byTitle = (title: string) => query({ filter: JSON.stringify({ title }) });

describe('reading documents', () => {
  it('lists them with metadata', async () => {
    await create('listed');
    const { status, headers, body } = await app.inject('GET', PATH + byTitle('LISTED'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(body.results).toMatchObject([
      { title: 'listed', v: 1, apiVersion: '1.0', createdBy: expect.any(String) },
    ]);
    expect(body.metadata).toMatchObject({ limit: 40, page: 1, offset: 0, totalCount: 1, totalPages: 1 });
  });

  it('finds one by its id in either case, in the same envelope', async () => {
    const { _id } = await create('by id');
    const { body } = await app.inject('GET', `${PATH}/${_id.toUpperCase()}`);
    expect(body.results).toMatchObject([{ _id, title: 'by id' }]);
    expect(body.metadata).toMatchObject({ totalCount: 1 });
  });

  it('answers an unknown id with 404, the envelope and empty results', async () => {
    const { status, body } = await app.inject('GET', `${PATH}/${UNKNOWN}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({
      statusCode: 404,
      success: false,
      errors: [{ message: expect.any(String) }],
      results: [],
      metadata: { totalCount: 0 },
    });
    expect((await app.inject('GET', `${PATH}/not-an-id`)).status).toBe(404);
  });

  it('counts, and tells statistics', async () => {
    await create('counted');
    const { body } = await app.inject('GET', `${PATH}/count${byTitle('counted')}`);
    expect(body).toEqual({ metadata: { limit: 40, totalCount: 1, totalPages: 1 } });
    const { body: stats } = await app.inject('GET', `${PATH}/stats`);
    expect(stats).toMatchObject({ count: expect.any(Number), size: expect.any(Number), indexSizes: {} });
  });

  it('tells the history of a document, also of a deleted one', async () => {
    const { _id } = await create('first');
    await app.inject('PUT', `${PATH}/${_id}`, { body: { title: 'second' } });
    await app.inject('DELETE', `${PATH}/${_id}`);
    const { status, body } = await app.inject('GET', `${PATH}/${_id}/history`);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { action: 'create', title: 'first', v: 1 },
      { action: 'update', title: 'second', v: 2 },
      { action: 'delete' },
    ]);
  });

  it('answers HEAD like GET', async () => {
    const get = await app.inject('GET', PATH);
    const head = await app.inject('HEAD', PATH);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['etag']).toBe(get.headers['etag']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('refuses odd parameters by name, on every sub-path', async () => {
    const { _id } = await create('odd');
    for (const path of [PATH, `${PATH}/count`, `${PATH}/${_id}`, `${PATH}/${_id}/history`]) {
      for (const name of ['count', 'page', 'skip', 'filter']) {
        const { status, body } = await app.inject('GET', `${path}?${name}=%7Bx`);
        expect([status, body.errors[0].field], path).toEqual([400, name]);
      }
    }
  });
});

describe('JSONP', () => {
  it('calls the function that the request or the collection names', async () => {
    const { _id } = await create('x', '/1.0/library/jsonp');
    const { text, headers } = await app.inject('GET', `/1.0/library/jsonp/${_id}`);
    expect(text).toMatch(/^show\(\{"results":\[.*\}\);$/);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect((await app.inject('GET', `${PATH}?callback=mine`)).text).toMatch(/^mine\(/);
    expect((await app.inject('GET', `${PATH}?callback=a.b`)).status).toBe(400);
    const missing = await app.inject('GET', `/1.0/library/jsonp/${UNKNOWN}`);
    expect(missing.headers['content-type']).toBe('application/json');
  });

  it('is for lists and documents only', async () => {
    const { body } = await app.inject('GET', '/1.0/library/jsonp/count?callback=mine');
    expect(body).toMatchObject({ metadata: {} });
  });
});

describe('creating documents', () => {
  it('answers 200 without metadata, for one and for many', async () => {
    const one = await app.inject('POST', PATH, { body: { title: 'one' } });
    expect([one.status, Object.keys(one.body)]).toEqual([200, ['results']]);
    const many = await app.inject('POST', PATH, { body: [{ title: 'a' }, { title: 'b' }] });
    expect(many.body.results).toHaveLength(2);
  });

  it('takes JSON as plain text', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect((await app.inject('POST', PATH, { body: '{"title":"plain"}', headers })).status).toBe(200);
  });

  it('says which document of a batch is wrong, and keeps none', async () => {
    const { status, body } = await app.inject('POST', PATH, { body: [{ title: 'kept?' }, {}] });
    expect([status, body.errors[0].index, body.errors[0].field]).toEqual([400, 1, 'title']);
    expect((await app.inject('GET', PATH + byTitle('kept?'))).body.results).toEqual([]);
  });

  it.each(['[]', 'null', '5', '"a"', '[null]', '[[]]', '', undefined])(
    'refuses the body %j',
    async (body) => {
      const { status, body: answer } = await app.inject('POST', PATH, { body });
      expect(status).toBe(400);
      expect(answer).toMatchObject({ statusCode: 400, success: false });
    },
  );

  it('is not for media collections', async () => {
    const { status, body } = await app.inject('POST', '/1.0/library/pictures', { body: { title: 'x' } });
    expect([status, body.errors]).toEqual([400, [{ field: 'file', message: 'must be specified' }]]);
  });

  it('is anonymous where the collection is open', async () => {
    const { status, body } = await app.inject('POST', '/1.0/library/open', {
      token: null,
      body: { title: 'x' },
    });
    expect([status, body.results[0].createdBy]).toEqual([200, null]);
  });
});

describe('updating documents', () => {
  it('sets fields of one, by PUT and by the POST of old clients', async () => {
    const { _id } = await create('before');
    const put = await app.inject('PUT', `${PATH}/${_id}`, { body: { pages: 5 } });
    expect(put.status).toBe(200);
    expect(put.body.results).toMatchObject([{ _id, title: 'before', pages: 5, v: 2 }]);
    expect(put.body.metadata).toMatchObject({ totalCount: 1, totalPages: 1 });
    const post = await app.inject('POST', `${PATH}/${_id}`, { body: { update: { pages: 6 } } });
    expect(post.body.results).toMatchObject([{ pages: 6, v: 3 }]);
    expect((await app.inject('PUT', `${PATH}/${UNKNOWN}`, { body: {} })).status).toBe(404);
  });

  it('sets fields of all that match, by PUT and by the POST of old clients', async () => {
    await create('many');
    await create('many');
    const body = { query: { title: 'many' }, update: { pages: 9 } };
    for (const method of ['PUT', 'POST']) {
      const { status, body: answer } = await app.inject(method, PATH, { body });
      expect([status, answer.results.length]).toEqual([200, 2]);
    }
    const none = await app.inject('PUT', PATH, { body: { query: { title: 'no such' }, update: {} } });
    expect([none.status, none.body.results]).toEqual([200, []]);
  });

  it('takes `query` and `update` for fields where they are', async () => {
    const body = { query: { a: 1 }, update: { b: 2 } };
    const { body: answer } = await app.inject('POST', '/1.0/library/named', { body });
    expect(answer.results).toMatchObject([body]);
  });

  it('by POST needs what PUT needs', async () => {
    const anonymous = (path: string, body: object) =>
      app.inject('POST', `/1.0/library/writable${path}`, { token: null, body });
    expect((await anonymous('', { title: 'x' })).status).toBe(200);
    expect((await anonymous('', { query: {}, update: { title: 'y' } })).status).toBe(401);
    expect((await anonymous(`/${UNKNOWN}`, { title: 'y' })).status).toBe(401);
  });

  it.each([{}, { query: {} }, { update: {} }, { title: 'x' }, [], null])(
    'of many refuses the body %j',
    async (body) => {
      expect((await app.inject('PUT', PATH, { body })).status).toBe(400);
    },
  );
});

describe('deleting documents', () => {
  it('answers 204, for one, for many and for none', async () => {
    const { _id } = await create('gone');
    const one = await app.inject('DELETE', `${PATH}/${_id}`);
    expect([one.status, one.text]).toEqual([204, '']);
    expect((await app.inject('DELETE', `${PATH}/${_id}`)).status).toBe(404);
    await create('gone too');
    const body = { query: { title: 'gone too' } };
    expect((await app.inject('DELETE', PATH, { body })).status).toBe(204);
    expect((await app.inject('GET', PATH + byTitle('gone too'))).body.results).toEqual([]);
    expect((await app.inject('DELETE', PATH, { body })).status).toBe(204);
  });

  it.each([undefined, {}, { query: 5 }, { query: [] }, [], null, { filter: {} }])(
    'of many refuses the body %j, and deletes nothing',
    async (body) => {
      const { body: before } = await app.inject('GET', `${PATH}/count`);
      expect((await app.inject('DELETE', PATH, { body })).status).toBe(400);
      expect((await app.inject('GET', `${PATH}/count`)).body).toEqual(before);
    },
  );

  it('counts in the answer when feedback is on', async () => {
    const talkative = await startApp({ config: { feedback: true } });
    await talkative.inject('POST', PATH, { body: [{ title: 'a' }, { title: 'a' }, { title: 'b' }] });
    const { status, body } = await talkative.inject('DELETE', PATH, { body: { query: { title: 'a' } } });
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Documents deleted successfully',
        deleted: 2,
        deletedCount: 2,
        totalCount: 1,
      },
    ]);
    await talkative.close();
  });
});

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
    expect((await put('nonsense')).status).toBe(412);
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
    await cached.inject('DELETE', PATH, { body: { query: {} } });
    expect((await cached.inject('GET', path)).status).toBe(404);
    await cached.close();
  });
});
