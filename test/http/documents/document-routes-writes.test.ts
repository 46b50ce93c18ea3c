import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { byTitle, createTitled, PATH, startDocumentApp, UNKNOWN } from './document-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startDocumentApp();
});

afterAll(() => app.close());

const create = (title: string, path = PATH) => createTitled(app, title, path);

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

describe('bodies of writes', () => {
  it.each([
    ['POST', PATH, '{"title":"\\ud800"}'],
    ['POST', PATH, '[{"title":"a"},{"title":"\\ud800"}]'],
    ['POST', PATH, '{"query":{},"update":{"title":"\\ud800"}}'],
    ['PUT', PATH, '{"query":{"__proto__":1},"update":{}}'],
    ['DELETE', PATH, '{"query":{"title":"\\ud800"}}'],
    ['PUT', `${PATH}/${UNKNOWN}`, '{"title":"\\ud800"}'],
    ['POST', `${PATH}/${UNKNOWN}`, '{"title":"\\ud800"}'],
  ] as const)('are checked before anything is done: %s %s %s', async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const { status, body: answer } = await app.inject(method, path, { body, headers });
    expect([status, answer.errors[0].code]).toEqual([400, 'BAD_REQUEST']);
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
    expect((await anonymous('', { query: {}, all: true, update: { title: 'y' } })).status).toBe(401);
    expect((await anonymous(`/${UNKNOWN}`, { title: 'y' })).status).toBe(401);
  });

  it.each([{}, { query: {}, all: true }, { update: {} }, { title: 'x' }, [], null])(
    'of many refuses the body %j',
    async (body) => {
      expect((await app.inject('PUT', PATH, { body })).status).toBe(400);
    },
  );
});

describe('deleting documents', () => {
  it('leaves a line in the log when everything goes', async () => {
    const log: string[] = [];
    const logged = await startApp({ log });
    await logged.inject('POST', PATH, { body: [{ title: 'a' }, { title: 'b' }] });
    expect((await logged.inject('DELETE', PATH, { body: { query: { title: 'a' } } })).status).toBe(204);
    expect(log.filter((line) => line.includes('every document'))).toEqual([]);
    expect((await logged.inject('DELETE', PATH, { body: { query: {}, all: true } })).status).toBe(204);
    await logged.close();
    expect(log.filter((line) => line.includes('every document')).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ path: PATH, by: 'admin', deleted: 1 }),
    ]);
  });

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
