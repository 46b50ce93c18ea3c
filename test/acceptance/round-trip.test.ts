// Whatever a client fetched, in whichever form, it can send back as it is: only `v` and the stamps move.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, queryOf, type TestCollection } from '../helpers/app/site.ts';
import { json, text } from '../helpers/fixtures/hostile-values.ts';

const UNKNOWN = '0123456789abcdef01234567';
const ref = (collection: string, more = {}) => ({ type: 'Reference', settings: { collection, ...more } });

let app: TestApp;
let people: TestCollection;
let books: TestCollection;
let ids: string[];

beforeAll(async () => {
  app = await startApp({ specs: {} });
  people = await createTestCollection(app, '/1.0/library/people', {
    fields: {
      name: { required: true },
      born: { type: 'DateTime' },
      any: { type: 'Mixed' },
      friends: ref('people'),
    },
    settings: { storeRevisions: true, compose: true },
  });
  books = await createTestCollection(app, '/1.0/library/books', {
    fields: {
      text: {},
      number: { type: 'Number' },
      flag: { type: 'Boolean' },
      at: { type: 'DateTime' },
      any: { type: 'Mixed' },
      object: { type: 'Object' },
      id: { type: 'ObjectID' },
      author: ref('people'),
      named: ref('people', { fields: ['name', 'friends'] }),
      lost: ref('nowhere'),
      part: { type: 'Reference' },
    },
    settings: { storeRevisions: true },
  });
  const added = await people.add(
    { name: 'a', born: '2024-05-01T10:00+02:00', any: { b: 1, a: [null, { $x: 1 }] } },
    { name: 'b', any: null },
    { name: 'c' },
  );
  ids = added.map(({ _id }) => _id);
  const [a, b, c] = ids;
  await app.inject('PUT', `${people.path}/${a}`, { body: { friends: [b, null, c, UNKNOWN, b] } });
  await app.inject('PUT', `${people.path}/${b}`, { body: { friends: a } });
});

afterAll(() => app.close());

const reference = fc
  .array(fc.constantFrom(0, 1, 2, 3, 4), { maxLength: 5 })
  .map((list) => list.map((n) => (n === 4 ? null : (ids[n] ?? UNKNOWN))));
const references = fc.oneof(
  reference,
  reference.map(([first]) => first ?? null),
);
const document = fc.record(
  {
    text: fc.oneof(text, fc.array(text, { maxLength: 3 })),
    number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    flag: fc.boolean(),
    at: fc.constantFrom('2024-01-01', '1999-12-31T23:59:59.999-12:00', null),
    any: json,
    object: fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), fc.integer(), { maxKeys: 3 }),
    id: fc.constantFrom(UNKNOWN, [UNKNOWN.replace('0', 'A')], null),
    author: references,
    named: references,
    lost: references,
  },
  { requiredKeys: [] },
);
const view = fc.record({ compose: fc.boolean(), includeHistory: fc.boolean() });

const withoutNulls = (value: unknown) =>
  Array.isArray(value) ? value.filter((entry) => entry !== null) : value;

it('a fetched document can be sent back and changes nothing', async () => {
  const before = (await people.get({ compose: false })).text;
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(document, view, async (body, parameters) => {
      const created = await app.inject('POST', books.path, { body });
      fc.pre(created.status === 200);
      sent += 1;
      const [stored] = created.body.results;
      const path = `${books.path}/${stored._id}`;
      await app.inject('PUT', `${path}?compose=false`, { body: { part: stored._id } });
      const [fetched] = (await app.inject('GET', path + queryOf(parameters))).body.results;
      const { status, body: answer } = await app.inject('PUT', `${path}?compose=false`, { body: fetched });
      expect([status, answer.errors]).toEqual([200, undefined]);
      const { v, history, part, lastModifiedAt, lastModifiedBy, ...after } = answer.results[0];
      expect([v, history.length, part]).toEqual([3, 3, stored._id]);
      const { v: _v, history: _history, ...rest } = stored;
      for (const name of ['author', 'named', 'lost']) {
        if (parameters.compose && name in rest) rest[name] = withoutNulls(rest[name]);
      }
      expect(after).toEqual(rest);
    }),
    { numRuns: 150 },
  );
  expect(sent).toBeGreaterThan(75);
  expect((await people.get({ compose: false })).text).toBe(before);
});

it('a field that its specification no longer declares stays where it is sent back unchanged', async () => {
  const path = '/1.0/library/changed';
  const before = { name: {}, old: { type: 'Mixed' }, at: { type: 'DateTime' } };
  const shelf = await createTestCollection(app, path, { fields: before });
  const old = { a: [1, null, { b: 'x' }] };
  const [{ _id }] = await shelf.add({ name: 'a', old, at: '2024-05-01T10:00+02:00' }, { name: 'b', old });
  await createTestCollection(app, path, { fields: { name: {} } });
  const [fetched] = (await shelf.get({}, `/${_id}`)).body.results;
  const put = (body: unknown, id = `/${_id}`) => app.inject('PUT', path + id, { body });
  const { status, body } = await put({ ...fetched, name: 'c' });
  expect([status, body.results[0]]).toEqual([
    200,
    { ...fetched, name: 'c', v: 2, lastModifiedAt: expect.any(Number), lastModifiedBy: expect.any(String) },
  ]);
  expect((await put({ query: {}, all: true, update: { old } }, '')).body.results).toHaveLength(2);
  for (const change of [{ old: 1 }, { old, other: 1 }, { at: '2024-05-01' }]) {
    const refused = await put({ name: 'd', ...change });
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'ERROR_NOT_IN_SCHEMA']);
  }
  expect((await put({ query: {}, all: true, update: { at: fetched.at } }, '')).status).toBe(400);
  expect((await app.inject('POST', path, { body: { name: 'e', old } })).status).toBe(400);
});
