// Names that mean something to languages and databases are names like any other: of fields, of collections.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, queryOf } from '../helpers/app/site.ts';

const NAMES = [
  ...['名前', 'größe', 'a b', ' ', '-', '0', '1e3', 'id', 'results', 'filter', 'query', 'type', 'null'],
  ...['_', '_layout', '_v', '_createdAt', '_composed', '__defineGetter__', 'a$b'],
  ...['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length', 'then', 'toJSON', 'prototype'],
  ...[
    'a"b',
    "a'b",
    'a`b',
    'a\\b',
    'a[0]',
    '[0]',
    '[#-1]',
    '#',
    '%',
    '%00',
    'a/b',
    'a?b',
    'a\nb',
    'a;--',
    '*',
    '"',
  ],
  ...['\u{1f600}', 'e\u0301', '\u202e', 'A', 'a', 'x'.repeat(300)],
];

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
});

afterAll(() => app.close());

describe('a field', () => {
  it.each(NAMES.map((name, number) => [JSON.stringify(name), name, number]))(
    'called %s',
    async (_, name, number) => {
      for (const [kind, index] of [[], [{ keys: { [name]: -1 } }]].entries()) {
        const shelf = await createTestCollection(app, `/1.0/names/field${number}${'ab'[kind]}`, {
          fields: { [name]: { type: 'Mixed' }, other: { required: true }, inner: { type: 'Object' } },
          settings: { index, sort: name, storeRevisions: true },
          name: 'other',
        });
        const [first] = await shelf.add(
          { [name]: 'Beta', other: 'b', inner: { [name]: 2 } },
          { [name]: 'alpha', other: 'a', inner: { [name]: 1 } },
          { other: 'none' },
          { [name]: { k: 5 }, other: 'object' },
        );
        const inSettings = (await shelf.get()).body;
        expect(inSettings.results.map(({ other }: { other: string }) => other)).toEqual([
          'none',
          'b',
          'a',
          'object',
        ]);
        expect(await shelf.find({ [name]: 'BETA' })).toEqual(['b']);
        expect(await shelf.find({ [name]: { $gte: 'Beta' } })).toEqual(['b', 'a']);
        expect(await shelf.find({ [name]: { $regex: 'et' } })).toEqual(['b']);
        expect(await shelf.find({ [name]: null })).toEqual(['none']);
        expect(await shelf.find({ [`${name}.k`]: 5 })).toEqual(['object']);
        expect(await shelf.find({ [`inner.${name}`]: { $gt: 1 } })).toEqual(['b']);
        expect(await shelf.find({}, { sort: { [name]: -1 } })).toEqual(['object', 'a', 'b', 'none']);
        const only = (await shelf.get({ fields: { [name]: 1 }, filter: { other: 'b' } })).body.results[0];
        expect(only).toEqual({ [name]: 'Beta', _id: first._id });
        const without = (await shelf.get({ fields: { [name]: 0 }, filter: { other: 'b' } })).body.results[0];
        expect(Object.hasOwn(without, name)).toBe(false);
        const body = { query: { [name]: 'beta' }, update: { [name]: null } };
        const updated = (await app.inject('PUT', shelf.path, { body })).body.results[0];
        expect([Object.getOwnPropertyDescriptor(updated, name)?.value, updated.v]).toEqual([null, 2]);
        expect(await shelf.find({ [name]: null })).toEqual(['b', 'none']);
      }
    },
  );

  it('is not found on what every object has', async () => {
    const shelf = await createTestCollection(app, '/1.0/names/plain', {
      fields: { other: {}, mixed: { type: 'Mixed' } },
    });
    await shelf.add({ other: 'a', mixed: {} });
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect((await shelf.get({ filter: `{${JSON.stringify(name)}:1}` })).status).toBe(400);
      const body = `{${JSON.stringify(name)}:1}`;
      expect((await app.inject('POST', shelf.path, { body })).status).toBe(400);
    }
    expect((await shelf.get({ filter: { 'mixed.constructor': { $exists: true } } })).body.results).toEqual(
      [],
    );
    expect((await shelf.get({ filter: { 'mixed.toString.name': 'toString' } })).body.results).toEqual([]);
    expect((await shelf.get({ sort: 'constructor' })).body.metadata).not.toHaveProperty('sort');
    const shown = await shelf.get({ fields: { constructor: 1, 'mixed.constructor': 1 } });
    expect(Object.keys(shown.body.results[0])).toEqual(['mixed', '_id']);
  });
});

describe('a collection', () => {
  const collections = [
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'count',
    'stats',
    'history',
    '-',
    '1',
    'a.b',
    'A-b_c.9',
  ];

  it.each([...collections, '0123456789abcdef01234567'])('called %s', async (name) => {
    const path = `/1.0/odd/${name}`;
    expect((await app.inject('GET', path)).status).toBe(404);
    const shelf = await createTestCollection(app, path, {
      fields: { name: {} },
      settings: { storeRevisions: true },
    });
    const [{ _id }] = await shelf.add({ name });
    expect((await app.inject('GET', `${path}/${_id}`)).body.results[0].name).toBe(name);
    const filter = queryOf({ filter: { name } });
    expect((await app.inject('GET', `${path}/count${filter}`)).body.metadata.totalCount).toBe(1);
    expect((await app.inject('GET', `${path}/${_id}/history`)).body.results).toHaveLength(1);
    const token = await app.userToken(`only-${name}`, { collections: [{ path: name }] });
    expect((await app.inject('GET', path, { token })).status).toBe(200);
    const { body } = await app.inject('GET', '/api/collections', { token });
    expect(body.collections.map((entry: { path: string }) => entry.path)).toEqual([path]);
    expect((await app.inject('DELETE', `${path}/config`)).status).toBe(200);
    expect((await app.inject('GET', path)).status).toBe(404);
  });

  it.each(['/__proto__/odd/a', '/1.0/__proto__/b', '/constructor/constructor/valueOf'])(
    'at %s',
    async (path) => {
      const shelf = await createTestCollection(app, path, { fields: { name: {} } });
      await shelf.add({ name: 'a' });
      expect(await shelf.find({ name: 'A' })).toEqual(['a']);
    },
  );
});
