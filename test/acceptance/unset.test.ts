// Fields that an update removes by `$unset`, and fetched documents that are sent back after their specification became stricter.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const FIELDS = { name: { required: true }, slug: {}, n: { type: 'Number' }, any: { type: 'Mixed' } };
const UNIQUE = { index: { keys: { slug: 1 }, options: { unique: true, sparse: true } } };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

async function specify(name: string, fields: JsonObject = FIELDS, settings: JsonObject = {}) {
  const path = `/1.0/library/${name}`;
  const { status, text } = await app.inject('POST', `${path}/config`, { body: { fields, settings } });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return path;
}

const add = async (path: string, ...documents: JsonObject[]) =>
  (await app.inject('POST', path, { body: documents })).body.results;
const put = (path: string, body: unknown) => app.inject('PUT', path, { body });

describe('$unset', () => {
  it('removes fields, so that a sparse unique index no longer holds them', async () => {
    const path = await specify('unset', FIELDS, { ...UNIQUE, storeRevisions: true });
    await add(path, { name: 'a', slug: 'a', n: 1 }, { name: 'b', slug: 'b', n: 1 });
    const body = { query: { n: 1 }, update: { any: 1, $unset: ['slug', 'slug'] } };
    const { status, body: answer } = await put(path, body);
    expect([status, answer.results.length, answer.metadata.totalCount]).toEqual([200, 2, 2]);
    for (const document of answer.results) {
      expect(document).toMatchObject({ n: 1, any: 1, v: 2 });
      expect(document).not.toHaveProperty('slug');
    }
    const missing = await app.inject('GET', `${path}/count?filter={"slug":{"$exists":false}}`);
    expect(missing.body.metadata.totalCount).toBe(2);
    expect((await add(path, { name: 'c', slug: 'a' }))[0].slug).toBe('a');
    const { results } = (await app.inject('GET', `${path}/${answer.results[0]._id}/history`)).body;
    expect(results.map((one: JsonObject) => one['slug'])).toEqual(['a', undefined]);
  });

  it('works wherever an update is sent', async () => {
    const path = await specify('ways', FIELDS, UNIQUE);
    const [{ _id }] = await add(path, { name: 'a', slug: 's', n: 1, any: {} });
    const legacy = await app.inject('POST', path, { body: { query: { _id }, update: { $unset: ['slug'] } } });
    expect(legacy.body.results[0]).not.toHaveProperty('slug');
    const byId = await put(`${path}/${_id}`, { update: { $unset: ['n'] } });
    expect(byId.body.results[0]).not.toHaveProperty('n');
    const bare = await put(`${path}/${_id}`, { $unset: ['any'] });
    expect(bare.body.results).toMatchObject([{ name: 'a', v: 4 }]);
    expect(bare.body.results[0]).not.toHaveProperty('any');
    // A field that is not there may be removed, too.
    expect((await put(`${path}/${_id}`, { $unset: [] })).body.results[0].v).toBe(5);
    expect((await put(`${path}/${_id}`, { $unset: ['n'] })).body.results[0].v).toBe(6);
  });

  it('is refused with the name of the culprit, and then nothing changes', async () => {
    const path = await specify('refused');
    const [{ _id }] = await add(path, { name: 'a', slug: 's', any: { x: 1 } });
    const refused: [Json, string, string][] = [
      [['name'], 'name', 'ERROR_REQUIRED'],
      [['_id'], '_id', 'ERROR_VALUE_INVALID'],
      [['createdAt'], 'createdAt', 'ERROR_VALUE_INVALID'],
      [['any.x'], 'any.x', 'ERROR_VALUE_INVALID'],
      [['slgu'], 'slgu', 'ERROR_NOT_IN_SCHEMA'],
      ['slug', '$unset', 'ERROR_VALUE_INVALID'],
      [[5], '$unset', 'ERROR_VALUE_INVALID'],
      [{ slug: 1 }, '$unset', 'ERROR_VALUE_INVALID'],
      [null, '$unset', 'ERROR_VALUE_INVALID'],
      [['constructor'], 'constructor', 'ERROR_NOT_IN_SCHEMA'],
    ];
    for (const [$unset, field, code] of refused) {
      const { status, body } = await put(path, { query: { _id }, update: { slug: 't', $unset } });
      expect([status, body.errors]).toMatchObject([400, [{ field, code }]]);
    }
    const both = await put(path, { query: { _id }, update: { slug: 't', $unset: ['slug'] } });
    expect([both.status, both.body.errors[0].field]).toEqual([400, 'slug']);
    expect((await app.inject('POST', path, { body: { name: 'b', $unset: ['slug'] } })).status).toBe(400);
    expect((await app.inject('GET', `${path}/${_id}`)).body.results).toMatchObject([{ slug: 's', v: 1 }]);
  });

  it('is refused beside `update`, where it would have no effect', async () => {
    const path = await specify('beside');
    const [{ _id }] = await add(path, { name: 'a', slug: 's' });
    const body = { query: { _id }, update: { n: 1 }, $unset: ['slug'] };
    for (const method of ['PUT', 'POST'] as const) {
      const { status, body: answer } = await app.inject(method, path, { body });
      expect([status, answer.errors]).toMatchObject([400, [{ field: '$unset' }]]);
      expect(answer.errors[0].message).toBe('`$unset` belongs into `update`');
    }
    const byId = await put(`${path}/${_id}`, { update: { n: 1 }, $unset: ['slug'] });
    expect([byId.status, byId.body.errors[0].field]).toEqual([400, 'update']);
    expect((await app.inject('GET', `${path}/${_id}`)).body.results).toMatchObject([{ slug: 's', v: 1 }]);
  });

  it('removes what the specification declares no more', async () => {
    const path = await specify('dropped');
    const [{ _id }] = await add(path, { name: 'a', slug: 's' });
    const { slug: _, ...rest } = FIELDS;
    await specify('dropped', rest);
    const { body } = await put(path, { query: { _id }, update: { $unset: ['slug'] } });
    expect(body.results[0]).not.toHaveProperty('slug');
    expect((await put(path, { query: { _id }, update: { $unset: ['slug'] } })).status).toBe(400);
  });

  it('works in Model, and hooks see it', async () => {
    const headers = { 'content-type': 'text/plain' };
    const source = `module.exports = (obj) => {
      if ((obj.$unset || []).includes('n')) throw new Error('not n');
      return obj;
    };`;
    await app.inject('POST', '/api/hooks/keepsN/config', { body: source, headers });
    const path = await specify('modelled', FIELDS, { hooks: { beforeUpdate: ['keepsN'] } });
    const [{ _id }] = await add(path, { name: 'a', slug: 's', n: 1 });
    const refused = await put(`${path}/${_id}`, { $unset: ['n'] });
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, 'keepsN - not n']);
    const endpoint = `module.exports.get = async (req, res) => {
      const { results } = await Model('modelled').update({ name: 'a' }, { $unset: ['slug'] });
      res.json(results[0]);
    };`;
    await app.inject('POST', '/1.0/unsets/config', { body: endpoint, headers });
    const grants = { collections: [{ name: '1.0/library/modelled', actions: ['update'] }] };
    await app.inject('PUT', '/1.0/unsets/policy', { body: { version: 1, grants } });
    const { status, body } = await app.inject('GET', '/1.0/unsets');
    expect([status, body]).toMatchObject([200, { name: 'a', n: 1, v: 2 }]);
    expect(body).not.toHaveProperty('slug');
  });
});

describe('a fetched document', () => {
  const stricter = {
    name: { required: true, validation: { maxLength: 3 } },
    slug: { type: 'Number' },
    n: { type: 'DateTime' },
    any: { required: true, validation: { regex: { pattern: '^x' } } },
    day: { type: 'DateTime' },
  };

  async function stored(name: string) {
    const path = await specify(name, { ...FIELDS, day: {} });
    const [{ _id }] = await add(path, { name: 'a long name', slug: '12', n: 7, any: '' });
    await specify(name, stricter);
    const [document] = (await app.inject('GET', `${path}/${_id}`)).body.results;
    return { path, _id, document };
  }

  it('can be sent back with another value, though its fields got other types and stricter rules', async () => {
    const { path, _id, document } = await stored('changed');
    const { status, body } = await put(`${path}/${_id}`, { ...document, day: '2026-01-01T01:00:00+01:00' });
    expect([status, body.errors]).toEqual([200, undefined]);
    const day = '2026-01-01T00:00:00.000Z';
    expect(body.results).toMatchObject([{ name: 'a long name', slug: '12', n: 7, any: '', day, v: 2 }]);
    const query = await put(path, { query: { _id }, update: { slug: '12' } });
    expect(query.body.results).toMatchObject([{ slug: '12', v: 3 }]);
  });

  it('is refused where a field that breaks the rules is changed', async () => {
    const { path, _id, document } = await stored('broken');
    const { status, body } = await put(`${path}/${_id}`, {
      ...document,
      name: 'another long name',
      slug: '13',
    });
    expect([status, body.errors]).toMatchObject([400, [{ field: 'name' }, { field: 'slug' }]]);
    await add(path, { name: 'b', slug: 1, any: 'x' });
    const many = await put(path, { query: { v: 1 }, update: { slug: '12' } });
    expect([many.status, many.body.errors]).toMatchObject([400, [{ field: 'slug' }]]);
    const none = await put(path, { query: { name: 'nobody' }, update: { slug: '12' } });
    expect(none.status).toBe(400);
  });

  it('tells nothing to those who may not read it', async () => {
    const { path, _id } = await stored('blind');
    await app.inject('POST', `${path}/config`, {
      body: { fields: stricter, settings: { authenticate: ['GET'] } },
    });
    const { status } = await app.inject('PUT', `${path}/${_id}`, { body: { slug: '12' }, token: null });
    expect(status).toBe(400);
  });
});
