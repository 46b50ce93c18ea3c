// Collections whose clients know the internals as later versions of the older server had them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const PLAIN = [
  'apiVersion',
  'v',
  'history',
  'createdAt',
  'createdBy',
  'lastModifiedAt',
  'lastModifiedBy',
  'composed',
];
let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    specs: {
      '1.0/library/people': { fields: { name: { type: 'String' } }, settings: { storeRevisions: true } },
      '1.0/library/books': {
        fields: {
          title: { type: 'String' },
          n: { type: 'Number' },
          data: { type: 'Object' },
          author: { type: 'Reference', settings: { collection: 'people' } },
        },
        settings: {
          internals: 'underscored',
          storeRevisions: true,
          sort: '_createdAt',
          sortOrder: 'desc',
          index: [{ keys: { _createdAt: 1 } }],
        },
      },
    },
  });
});
afterAll(() => app.close());

const path = '/1.0/library/books';
const get = async (query: Record<string, unknown>, at = path) => {
  const pairs = Object.entries(query).map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const { status, body } = await app.inject('GET', `${at}?${pairs.join('&')}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const add = async (body: JsonObject): Promise<JsonObject & { _id: string }> =>
  (await app.inject('POST', path, { body })).body.results[0];

describe('a collection with underscored internals', () => {
  it('answers with these names, whoever asks and however', async () => {
    const created = await add({ title: 'a', data: { v: 1, createdAt: 2 }, author: { name: 'Emma' } });
    const one = (await get({}, `${path}/${created._id}`)).results[0];
    const composed = (await get({ compose: 'true', filter: { _id: created._id } })).results[0];
    const updated = (await app.inject('PUT', `${path}/${created._id}`, { body: { n: 1 } })).body.results[0];
    for (const each of [created, one, composed, updated]) {
      expect(Object.keys(each).filter((name) => PLAIN.includes(name))).toEqual([]);
      expect(each).toMatchObject({
        _apiVersion: '1.0',
        _createdBy: expect.any(String),
        data: { v: 1, createdAt: 2 },
      });
    }
    expect([created['_version'], updated._version, updated._lastModifiedBy]).toEqual([
      1,
      2,
      expect.any(String),
    ]);
    expect(composed.author).toMatchObject({ name: 'Emma', _version: 1, _createdAt: expect.any(Number) });
    expect(composed._composed).toEqual({ author: composed.author._id });
    expect(Object.keys(composed.author)).not.toContain('v');
  });

  it('takes them in filters, fields and sort', async () => {
    const first = await add({ title: 'f', n: 1 });
    const second = await add({ title: 'f', n: 2 });
    await app.inject('PUT', `${path}/${second._id}`, { body: { n: 3 } });
    const titlesOf = async (query: Record<string, unknown>) =>
      (await get(query)).results.map(({ _id }: JsonObject) => _id);
    expect(await titlesOf({ filter: { title: 'f', _version: 2 } })).toEqual([second._id]);
    expect(await titlesOf({ filter: { $and: [{ title: 'f' }, { _version: { $lt: 2 } }] } })).toEqual([
      first._id,
    ]);
    expect(await titlesOf({ filter: { title: 'f' }, sort: '_version', sortOrder: 'asc' })).toEqual([
      first._id,
      second._id,
    ]);
    expect(await titlesOf({ filter: { title: 'f' }, sort: { _version: -1 } })).toEqual([
      second._id,
      first._id,
    ]);
    const shown = await get({ filter: { title: 'f' }, fields: { _createdAt: 1, n: 1 } });
    expect(Object.keys(shown.results[0]).sort()).toEqual(['_createdAt', '_id', 'n']);
    expect(shown.metadata).toMatchObject({ fields: { _createdAt: 1, n: 1 }, sort: { _createdAt: -1 } });
    expect(
      (await get({ filter: { title: 'f', _createdAt: { $gt: 0 } } }, `${path}/count`)).metadata.totalCount,
    ).toBe(2);
  });

  it('takes back what it answered', async () => {
    const created = await add({ title: 'b', author: { name: 'Jane' } });
    const fetched = (await get({ compose: 'true', includeHistory: 'true', filter: { _id: created._id } }))
      .results[0];
    const { status, body } = await app.inject('PUT', `${path}/${created._id}`, {
      body: { ...fetched, n: 7 },
    });
    expect([status, body.results[0].n, body.results[0]._version]).toEqual([200, 7, 2]);
    const author = await app.inject('GET', `/1.0/library/people/${fetched.author._id}`);
    expect(author.body.results[0]).toMatchObject({ name: 'Jane', v: 1 });
  });

  it('takes them in the queries of writes', async () => {
    await add({ title: 'w', n: 1 });
    const updated = await app.inject('PUT', path, {
      body: { query: { title: 'w', _version: 1 }, update: { n: 2, $unset: ['data'] } },
    });
    expect(updated.body.results).toMatchObject([{ n: 2, _version: 2 }]);
    const none = await app.inject('DELETE', path, { body: { query: { title: 'w', _version: 1 } } });
    expect([none.status, (await get({ filter: { title: 'w' } })).results.length]).toEqual([204, 1]);
    await app.inject('DELETE', path, { body: { query: { title: 'w', _version: 2 } } });
    expect((await get({ filter: { title: 'w' } })).results).toEqual([]);
  });

  it('has them in its history', async () => {
    const created = await add({ title: 'h' });
    await app.inject('PUT', `${path}/${created._id}`, { body: { n: 5 } });
    const { results } = await get({}, `${path}/${created._id}/history`);
    expect(results.map((each: JsonObject) => [each['_version'], each['v']])).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    const whole = (await get({ includeHistory: 'true', filter: { _id: created._id } })).results[0];
    expect(whole._history.map((each: JsonObject) => each['_version'])).toEqual([1, 2]);
  });

  it('leaves the names of all other collections alone', async () => {
    const { body } = await app.inject('POST', '/1.0/library/people', { body: { name: 'x' } });
    expect(body.results[0]).toMatchObject({ v: 1, createdAt: expect.any(Number) });
    const refused = await app.inject('GET', '/1.0/library/people?filter={"_version":1}');
    expect(refused.status).toBe(400);
  });
});

describe('the setting', () => {
  const post = (fields: JsonObject, internals: string) =>
    app.inject('POST', '/1.0/library/other/config', { body: { fields, settings: { internals } } });

  it('is plain or underscored', async () => {
    const { status, body } = await post({ a: {} }, 'camel');
    expect([status, body.errors[0].message]).toEqual([400, 'must be `plain` or `underscored`']);
    expect((await post({ a: {} }, 'plain')).status).toBe(200);
  });

  it('keeps these names from fields', async () => {
    const { status, body } = await post({ _version: {} }, 'underscored');
    expect([status, body.errors[0]]).toEqual([400, expect.objectContaining({ field: '_version' })]);
  });
});
