// Creating, updating and deleting over the whole application: bodies old and new, statuses, what is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

const UNKNOWN = '0123456789abcdef01234567';
const PATH = '/1.0/library/items';

let app: TestApp;
let items: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {}, config: { limits: { batch: 5, writeMatches: 3 } } });
  items = await createTestCollection(app, PATH, {
    fields: { name: { required: true }, n: { type: 'Number' }, any: { type: 'Mixed' } },
    settings: { index: { keys: { n: 1 }, options: { unique: true, sparse: true } } },
  });
});

afterAll(() => app.close());

beforeEach(async () => {
  while ((await items.get({}, '/count')).body.metadata.totalCount > 0) {
    const { results } = (await items.get({ count: 3, fields: { _id: 1 } })).body;
    const query = { _id: { $in: results.map(({ _id }: { _id: string }) => _id) } };
    await app.inject('DELETE', PATH, { body: { query } });
  }
});

const put = (body: unknown, id = '') => app.inject('PUT', PATH + id, { body });

describe('creating', () => {
  it('answers 200 with the document as it is stored', async () => {
    const before = Date.now();
    const { status, body, headers } = await app.inject('POST', PATH, { body: { name: 'a' } });
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const [document] = body.results;
    expect(body).toEqual({ results: [document] });
    expect(document).toEqual({
      name: 'a',
      apiVersion: '1.0',
      createdAt: expect.any(Number),
      createdBy: ADMIN.clientId,
      v: 1,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(document.createdAt).toBeGreaterThanOrEqual(before);
    expect((await items.get({}, `/${document._id}`)).body).toEqual({
      results: [document],
      metadata: { limit: 40, page: 1, fields: {}, offset: 0, totalCount: 1, totalPages: 1 },
    });
  });

  it('drops what belongs to the server without a word', async () => {
    const forged = { _id: UNKNOWN, v: 9, createdBy: 'x', createdAt: 1, apiVersion: '9', history: ['x'] };
    const later = { lastModifiedAt: 1, lastModifiedBy: 'x', composed: { name: 'x' } };
    const [document] = await items.add({ name: 'a', ...forged, ...later });
    expect(document).toMatchObject({ v: 1, apiVersion: '1.0', createdBy: ADMIN.clientId });
    expect(Object.keys(document)).toEqual(['name', 'apiVersion', 'createdAt', 'createdBy', 'v', '_id']);
    expect(document._id).not.toBe(UNKNOWN);
  });

  it('takes a batch whole or not at all, and says which document is at fault', async () => {
    const batch = await app.inject('POST', PATH, { body: [{ name: 'a' }, { name: 'b' }] });
    expect(batch.body.results.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const bad: readonly (readonly [unknown, string, number | undefined])[] = [
      [[{ name: 'c' }, { n: 1 }], 'name', 1],
      [[{ name: 'c', n: 7 }, { name: 'd' }, { name: 'e', n: 7 }], 'n', 2],
      [[{ name: 'c' }, 5], '', 1],
      [[], '', undefined],
    ];
    for (const [body, field, index] of bad) {
      const answer = await app.inject('POST', PATH, { body });
      expect([answer.status, answer.body.errors[0].index]).toEqual([400, index]);
      if (field !== '') expect(answer.body.errors[0].field).toBe(field);
    }
    const many = Array.from({ length: 6 }, () => ({ name: 'x' }));
    const tooMany = await app.inject('POST', PATH, { body: many });
    expect([tooMany.status, tooMany.body.errors[0].message]).toEqual([400, expect.stringContaining('5')]);
    expect(await items.find({})).toEqual(['a', 'b']);
  });
});

describe('updating', () => {
  it('sets the given fields, counts, and stamps', async () => {
    const [created] = await items.add({ name: 'a', n: 1, any: { x: 1, y: 2 } });
    const { status, body } = await put({ any: { z: 1 } }, `/${created._id}`);
    expect([status, body]).toEqual([
      200,
      {
        results: [
          {
            ...created,
            any: { z: 1 },
            lastModifiedAt: expect.any(Number),
            lastModifiedBy: ADMIN.clientId,
            v: 2,
          },
        ],
        metadata: { page: 1, offset: 0, totalCount: 1, totalPages: 1 },
      },
    ]);
    expect((await put({}, `/${created._id}`)).body.results[0]).toMatchObject({ n: 1, v: 3 });
  });

  it('takes what it answered, unchanged', async () => {
    const [created] = await items.add({ name: 'a', n: 1 });
    const { body } = await put(created, `/${created._id}`);
    const again = await put(body.results[0], `/${created._id}`);
    expect([again.status, again.body.results[0].v]).toEqual([200, 3]);
    expect(again.body.results[0]).toMatchObject({ name: 'a', n: 1, createdAt: created.createdAt });
  });

  const forms = [
    ['PUT', true, { n: 5 }],
    ['PUT', true, { update: { n: 5 } }],
    ['PUT', true, { query: { name: 'zzz' }, update: { n: 5 } }],
    ['POST', true, { n: 5 }],
    ['POST', true, { query: {}, update: { n: 5 } }],
    ['PUT', false, { query: { name: 'A' }, update: { n: 5 } }],
    ['POST', false, { query: { name: 'A' }, update: { n: 5 } }],
  ] as const;

  it.each(forms)('takes %s, by id %s, of %j', async (method, byId, body) => {
    const [created] = await items.add({ name: 'a' });
    const answer = await app.inject(method, byId ? `${PATH}/${created._id}` : PATH, { body });
    expect([answer.status, answer.body.results.length]).toEqual([200, 1]);
    expect(answer.body.results[0]).toMatchObject({ _id: created._id, name: 'a', n: 5, v: 2 });
    expect(await items.find({})).toEqual(['a']);
  });

  it.each([
    {},
    { name: 'x' },
    { update: {} },
    { query: {} },
    { query: [], update: {} },
    { query: {}, all: true, update: 5 },
    [],
    5,
  ])('of a collection refuses %j', async (body) => {
    await items.add({ name: 'a' });
    const { status, body: answer } = await put(body);
    expect([status, answer.success]).toEqual([400, false]);
    expect(await items.find({ v: 1 })).toEqual(['a']);
  });

  it('of nothing is 404 by id, and an empty 200 by query', async () => {
    const one = await put({ name: 'x' }, `/${UNKNOWN}`);
    expect([one.status, one.body]).toEqual([
      404,
      {
        statusCode: 404,
        success: false,
        errors: [{ message: expect.any(String), code: 'DOCUMENT_NOT_FOUND' }],
        results: [],
        metadata: { page: 1, offset: 0, totalCount: 0, totalPages: 0 },
      },
    ]);
    const many = await put({ query: { name: 'x' }, update: { n: 1 } });
    expect([many.status, many.body.results, many.body.metadata.totalCount]).toEqual([200, [], 0]);
    expect((await put({ name: 'x' }, '/not-an-id')).status).toBe(404);
  });

  it('and deleting more than allowed is refused with the number, and changes nothing', async () => {
    await items.add({ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' });
    const refused = await put({ query: {}, all: true, update: { any: 1 } });
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining('4')]);
    const kept = await app.inject('DELETE', PATH, { body: { query: {}, all: true } });
    expect([kept.status, kept.body.errors[0].message]).toEqual([400, expect.stringContaining('4')]);
    expect(await items.find({ v: 1 })).toEqual(['a', 'b', 'c', 'd']);
  });

  it('by query is one transaction', async () => {
    await items.add({ name: 'a', n: 1 }, { name: 'b', n: 2 });
    const { status, body } = await put({ query: {}, all: true, update: { n: 3 } });
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'n', message: 'must be unique', code: 'ERROR_UNIQUE' }],
    ]);
    expect(await items.find({ v: 1 })).toEqual(['a', 'b']);
  });
});

describe('deleting', () => {
  it('answers an empty 204, and 404 for an unknown id', async () => {
    const [{ _id }] = await items.add({ name: 'a' }, { name: 'b' });
    const one = await app.inject('DELETE', `${PATH}/${_id}`);
    expect([one.status, one.text, one.headers['content-type']]).toEqual([204, '', undefined]);
    const again = await app.inject('DELETE', `${PATH}/${_id}`);
    expect([again.status, again.body.results]).toEqual([404, []]);
    const query = await app.inject('DELETE', PATH, { body: { query: { name: 'B' } } });
    expect([query.status, query.text]).toEqual([204, '']);
    const none = await app.inject('DELETE', PATH, { body: { query: { name: 'zzz' } } });
    expect([none.status, none.text]).toEqual([204, '']);
    expect(await items.find({})).toEqual([]);
  });

  it.each([undefined, {}, { query: [] }, { query: 'a' }, { query: null }, { query: { nope: 1 } }, '{'])(
    'refuses %j',
    async (body) => {
      await items.add({ name: 'a' });
      const { status, body: answer } = await app.inject('DELETE', PATH, { body });
      expect([status, answer.success]).toEqual([400, false]);
      expect(await items.find({})).toEqual(['a']);
    },
  );
});

describe('a specification with fields `query` and `update`', () => {
  it('gets documents, not commands', async () => {
    const named = await createTestCollection(app, '/1.0/library/named', {
      fields: { query: { type: 'Object' }, update: { type: 'Object' } },
    });
    const body = { query: {}, update: { update: {} } };
    const created = await app.inject('POST', named.path, { body });
    expect(created.body.results[0]).toMatchObject(body);
    const path = `${named.path}/${created.body.results[0]._id}`;
    const updated = await app.inject('PUT', path, { body: { update: { a: 1 } } });
    expect(updated.body.results[0]).toMatchObject({ query: {}, update: { a: 1 } });
  });
});
