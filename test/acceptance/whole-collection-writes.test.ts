// Writes of a whole collection: a query without a condition needs a word for it, since JSON drops members that are undefined.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const PATH = '/1.0/library/items';

let app: TestApp;
let items: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  items = await createTestCollection(app, PATH, { fields: { name: {}, any: { type: 'Mixed' } } });
});

beforeEach(() => app.inject('DELETE', PATH, { body: { query: { _id: { $ne: null } } } }));

afterAll(() => app.close());

describe('updating and deleting everything', () => {
  it.each([
    {},
    { $and: [] as Json },
    { $and: [{}, {}] },
    { $or: [{}] },
    { $or: [{ name: 'nobody' }, {}] },
    { $or: [{ name: 'nobody' }, { $and: [{}] }] },
    { $nor: [{}] },
  ])('by the query %j is refused unless the body says so', async (query) => {
    await items.add({ name: 'a' }, { name: 'b' });
    for (const all of [{}, { all: false }, { all: 'true' }, { all: 1 }] as JsonObject[]) {
      for (const [method, body] of [
        ['PUT', { query, update: { any: 1 }, ...all }],
        ['POST', { query, update: { any: 1 }, ...all }],
        ['DELETE', { query, ...all }],
      ] as const) {
        const { status, body: answer } = await app.inject(method, PATH, { body });
        expect([status, answer.errors[0]]).toEqual([
          400,
          { field: 'query', message: expect.stringContaining('"all": true'), code: 'BAD_REQUEST' },
        ]);
      }
    }
    expect(await items.find({ v: 1, any: null })).toEqual(['a', 'b']);
  });

  it('takes `all`', async () => {
    await items.add({ name: 'a' }, { name: 'b' });
    const updated = await app.inject('PUT', PATH, { body: { query: {}, all: true, update: { any: 1 } } });
    expect([updated.status, updated.body.results.length]).toEqual([200, 2]);
    const some = await app.inject('DELETE', PATH, { body: { query: { $and: [{}, { name: 'a' }] } } });
    expect([some.status, await items.find({})]).toEqual([204, ['b']]);
    const all = await app.inject('DELETE', PATH, { body: { query: {}, all: true } });
    expect([all.status, await items.find({})]).toEqual([204, []]);
  });
});
