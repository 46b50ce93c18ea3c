// A database that another program filled: ids and references as ObjectId, dates, 64-bit and decimal numbers, documents
// without internals, ids that are text, indexes of its own. It is served as it is, and what is not touched stays as it was.
import {
  Binary,
  type Db,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { queryOf } from '../helpers/app/site.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { mongoEnvironment } from '../helpers/temp/workspace.ts';

const ANN = new ObjectId('5a1b2c3d4e5f60718293a4b5');
const BOB = new ObjectId('5a1b2c3d4e5f60718293a4b6');
const FIRST = new ObjectId('5a1b2c3d4e5f60718293a4c1');
const SECOND = new ObjectId('5a1b2c3d4e5f60718293a4c2');
const THIRD = new ObjectId('5a1b2c3d4e5f60718293a4c3');
const REVISION = new ObjectId('5a1b2c3d4e5f60718293a4d1');
const BOOKS = '/1.0/old/books';

const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/old/books': {
    fields: {
      title: { type: 'String' },
      pages: { type: 'Number' },
      price: { type: 'Mixed' },
      sold: { type: 'Number' },
      published: { type: 'DateTime' },
      author: { type: 'Reference', settings: { collection: 'people' } },
      editors: { type: 'Reference', settings: { collection: 'people' } },
      cover: { type: 'Mixed' },
    },
    settings: {
      storeRevisions: true,
      sort: 'title',
      index: [{ keys: { title: 1 } }, { keys: { pages: 1 } }],
    },
  },
  '1.0/old/people': { fields: { name: { type: 'String' } }, settings: {} },
};

async function fill(database: Db): Promise<void> {
  await database.collection('people').insertMany([
    { _id: ANN, name: 'Ann', v: 1, createdAt: 1_511_234_567_890 },
    { _id: BOB, name: 'Bob' },
  ]);
  const books = database.collection<Document & { _id: ObjectId | string | number }>('books');
  await books.insertMany([
    {
      _id: FIRST,
      title: 'Émile',
      pages: new Int32(300),
      price: Decimal128.fromString('12.50'),
      v: 1,
      sold: Long.fromString('9007199254740993'),
      published: new Date('1999-12-31T23:59:59.000Z'),
      author: ANN,
      editors: [ANN, BOB],
      history: [REVISION],
      apiVersion: '1.0',
      createdBy: 'old-cms',
      createdAt: 1_511_234_567_890,
      cover: new Binary(Buffer.from('cover')),
      unknown: new Timestamp(5n),
    },
    {
      _id: SECOND,
      title: 'émile',
      pages: new Double(20),
      published: new Date('2001-01-01T00:00:00.000Z'),
      author: BOB,
    },
    { _id: THIRD, title: 'Zadig', pages: Long.fromNumber(7), author: null },
    { _id: 'a-text-id', title: 'candide', pages: 90 },
    { _id: 42, title: 'Micromégas' },
  ]);
  await books.createIndex({ pages: 1 }, { name: 'by_pages' });
  await books.createIndex({ title: 'text' });
  await books.createIndex({ author: 1 }, { sparse: true });
  await database
    .collection('booksHistory')
    .insertOne({ _id: REVISION, originalDocumentId: FIRST, title: 'Emile', v: 1 });
}

function registerOn(server: string): void {
  let database: ReturnType<typeof createDatabase>;
  let app: TestApp;
  let raw: Db;

  beforeEach(async () => {
    database = createDatabase(server);
    raw = rawClient(server).db(database.name);
    await fill(raw);
    app = await startApp({ specs: SPECS, env: mongoEnvironment(database.uri) });
  });

  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  const list = async (parameters: JsonObject = {}): Promise<JsonObject[]> => {
    const { status, body, text } = await app.inject('GET', `${BOOKS}${queryOf(parameters as never)}`);
    expect(status, text).toBe(200);
    return body.results;
  };
  const titles = async (parameters: JsonObject) => (await list(parameters)).map(({ title }) => title);

  it('are listed, with values as text and numbers', async () => {
    expect(await titles({ sort: 'title' })).toEqual(['Micromégas', 'Zadig', 'candide', 'Émile', 'émile']);
    expect(await titles({ sort: { pages: 1 } })).toEqual([
      'Micromégas',
      'Zadig',
      'émile',
      'candide',
      'Émile',
    ]);
    expect(await titles({ sort: { pages: -1 }, count: 2, page: 2 })).toEqual(['émile', 'Zadig']);
    const { body } = await app.inject('GET', `${BOOKS}/${FIRST}`);
    expect(body.results[0]).toMatchObject({
      _id: `${FIRST}`,
      title: 'Émile',
      pages: 300,
      sold: 9_007_199_254_740_992,
      published: '1999-12-31T23:59:59.000Z',
      author: `${ANN}`,
      editors: [`${ANN}`, `${BOB}`],
      history: [`${REVISION}`],
      v: 1,
      createdBy: 'old-cms',
    });
    expect((await app.inject('GET', `${BOOKS}/a-text-id`)).status).toBe(404);
    expect((await app.inject('GET', `${BOOKS}/count`)).body.metadata.totalCount).toBe(5);
  });

  it('are filtered', async () => {
    expect(await titles({ filter: { title: 'ÉMILE' } })).toEqual(['Émile', 'émile']);
    expect(await titles({ filter: { title: 'CANDIDE' } })).toEqual(['candide']);
    expect(await titles({ filter: { title: { $regex: '^Z' } } })).toEqual(['Zadig']);
    expect(await titles({ filter: { pages: { $gte: 20, $lt: 300 } } })).toEqual(['candide', 'émile']);
    expect(await titles({ filter: { pages: 7 } })).toEqual(['Zadig']);
    expect(await titles({ filter: { author: `${ANN}` } })).toEqual(['Émile']);
    expect(await titles({ filter: { editors: { $in: [`${BOB}`] } } })).toEqual(['Émile']);
    expect(await titles({ filter: { 'author.name': 'BOB' } })).toEqual(['émile']);
    expect(await titles({ filter: { author: null } })).toEqual(['Micromégas', 'Zadig', 'candide']);
    expect(await titles({ filter: { published: '1999-12-31T23:59:59Z' } })).toEqual(['Émile']);
    expect(await titles({ filter: { _id: `${THIRD}` } })).toEqual(['Zadig']);
    expect(await titles({ filter: { history: `${REVISION}` } })).toEqual(['Émile']);
  });

  it('are composed, with their revisions', async () => {
    const [first] = await list({ filter: { pages: 300 }, compose: true });
    expect(first).toMatchObject({ author: { name: 'Ann' }, editors: [{ name: 'Ann' }, { name: 'Bob' }] });
    expect(first?.['composed']).toMatchObject({ author: `${ANN}`, editors: [`${ANN}`, `${BOB}`] });
    const { body } = await app.inject('GET', `${BOOKS}?includeHistory=true&filter={"pages":300}`);
    expect(body.results[0].history).toMatchObject([{ _id: `${REVISION}`, title: 'Emile' }]);
  });

  it('are updated, and what is not touched keeps its type', async () => {
    const put = await app.inject('PUT', `${BOOKS}/${FIRST}`, {
      body: { title: 'Émile, ou De l’éducation' },
    });
    expect(put.status, put.text).toBe(200);
    const stored = await raw.collection('books').findOne({ _id: FIRST }, { promoteValues: false });
    expect(stored).toMatchObject({
      price: Decimal128.fromString('12.50'),
      sold: Long.fromString('9007199254740993'),
      author: ANN,
      cover: new Binary(Buffer.from('cover')),
      unknown: new Timestamp(5n),
      pages: new Int32(300),
    });
    expect(stored?.['published']).toEqual(new Date('1999-12-31T23:59:59.000Z'));
    expect(Number(stored?.['v'])).toBe(2);
    expect(put.body.results[0].history).toHaveLength(2);
    const many = { query: { author: { $exists: true } }, update: { pages: 1 } };
    const all = await app.inject('PUT', BOOKS, { body: many });
    expect([all.status, all.body.results?.length], all.text).toEqual([200, 3]);
    expect(await raw.collection('books').findOne({ _id: SECOND })).toMatchObject({
      author: BOB,
      pages: 1,
      v: 1,
    });
    expect((await app.inject('DELETE', `${BOOKS}/${THIRD}`)).status).toBe(204);
    expect(await raw.collection('books').countDocuments()).toBe(4);
  });

  it('keep the indexes that they came with', async () => {
    const { body } = await app.inject('GET', `${BOOKS}/stats`);
    expect(body.count).toBe(5);
    const indexes = await raw.collection('books').indexes();
    const names = indexes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['by_pages', 'title_text', 'author_1']));
    expect(indexes.filter(({ key }) => Object.keys(key)[0] === 'pages')).toHaveLength(1);
  });

  it('are not written past a rule that the database has for them', async () => {
    const schema = { required: ['title'], properties: { pages: { maximum: 1000 } } };
    await raw.command({ collMod: 'books', validator: { $jsonSchema: schema } });
    const refused = async (method: string, path: string, body: JsonObject | JsonObject[]) => {
      const answer = await app.inject(method, path, { body });
      expect(answer.status, answer.text).toBe(400);
      return answer.body.errors;
    };
    const problem = {
      message: 'breaks a rule that the database has for this collection',
      code: 'ERROR_VALUE_INVALID',
    };
    expect(await refused('POST', BOOKS, { pages: 1001 })).toEqual([
      { field: 'pages', ...problem },
      { field: 'title', ...problem },
    ]);
    expect(await refused('PUT', `${BOOKS}/${SECOND}`, { pages: 1001 })).toEqual([
      { field: 'pages', ...problem },
    ]);
    expect(await refused('POST', BOOKS, [{ title: 'good' }, { title: 'bad', pages: 1001 }])).toEqual([
      { index: 1, field: 'pages', ...problem },
    ]);
    await raw.command({ collMod: 'books', validator: { pages: { $lt: 1000 } } });
    expect(await refused('PUT', `${BOOKS}/${SECOND}`, { pages: 1001 })).toEqual([
      { ...problem, message: 'The database takes no such write to this collection' },
    ]);
    expect(await titles({ filter: { pages: { $gt: 1000 } } })).toEqual([]);
    expect(await titles({ filter: { title: 'good' } })).toEqual([]);
    expect((await app.inject('PUT', `${BOOKS}/${SECOND}`, { body: { pages: 21 } })).status).toBe(200);
  });

  it('are read through a view of theirs, which takes no writes', async () => {
    await raw.collection('people').drop();
    await raw.createCollection('people', { viewOn: 'books', pipeline: [{ $match: { pages: { $lt: 50 } } }] });
    const { body } = await app.inject('GET', '/1.0/old/people');
    expect(body.results.map(({ _id }: JsonObject) => _id)).toEqual([`${SECOND}`, `${THIRD}`]);
    const created = await app.inject('POST', '/1.0/old/people', { body: { name: 'Eve' } });
    expect([created.status, created.body.errors[0].code]).toEqual([400, 'ERROR_VALUE_INVALID']);
  });
}

describeMongo('Data that others wrote', (servers) => {
  describe.each(Object.entries(servers))('%s', (_kind, server) => registerOn(server));
});
