// The official client of the dialect, unmodified, against a server that really listens.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { officialClient, type Untyped } from '../helpers/server-process/official-client.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

type Any = Untyped;

let app: TestApp;
let api: ReturnType<typeof officialClient>;

beforeAll(async () => {
  app = await startApp({ config: { feedback: false } });
  api = officialClient(new URL(await app.listen()));
});

afterAll(() => app.close());

const books = () => api().in('books');
const people = () => api().in('people');

/** Titles of what a chain finds, in its order. */
async function titles(chain: Any): Promise<string[]> {
  return (await chain.find({ extractResults: true })).map((document: Any) => document.title);
}

let authors: Any[];

beforeEach(async () => {
  for (const collection of ['books', 'people']) {
    await api()
      .in(collection)
      .where({ _id: { $ne: null } })
      .delete();
  }
  authors = (await people().create([{ name: 'Ursula' }, { name: 'Stanisław' }])).results;
  await books().create([
    { title: 'A Wizard of Earthsea', pages: 183, author: authors[0]._id, tags: ['fantasy'] },
    { title: 'Solaris', pages: 204, author: authors[1]._id, inPrint: true },
    { title: 'The Dispossessed', pages: 341, author: authors[0]._id, tags: ['utopia', 'physics'] },
    { title: 'The Tombs of Atuan', pages: 163, author: authors[0]._id, tags: ['fantasy'] },
  ]);
});

describe('queries of the official client', () => {
  it.each<[string, (chain: Any) => Any, string[]]>([
    [
      'whereFieldBeginsWith',
      (q) => q.whereFieldBeginsWith('title', 'the'),
      ['The Dispossessed', 'The Tombs of Atuan'],
    ],
    [
      'whereFieldContains',
      (q) => q.whereFieldContains('title', 'OF'),
      ['A Wizard of Earthsea', 'The Tombs of Atuan'],
    ],
    ['whereFieldEndsWith', (q) => q.whereFieldEndsWith('title', 'S'), ['Solaris']],
    [
      'whereFieldDoesNotContain',
      (q) => q.whereFieldDoesNotContain('title', 'of'),
      ['Solaris', 'The Dispossessed'],
    ],
    ['whereFieldIsEqualTo', (q) => q.whereFieldIsEqualTo('title', 'solaris'), ['Solaris']],
    [
      'whereFieldIsNotEqualTo with text',
      (q) => q.whereFieldIsNotEqualTo('title', 'solaris'),
      ['A Wizard of Earthsea', 'The Dispossessed', 'The Tombs of Atuan'],
    ],
    [
      'whereFieldIsNotEqualTo with a number',
      (q) => q.whereFieldIsNotEqualTo('pages', 204),
      ['A Wizard of Earthsea', 'The Dispossessed', 'The Tombs of Atuan'],
    ],
    ['whereFieldExists', (q) => q.whereFieldExists('inPrint'), ['Solaris']],
    [
      'whereFieldDoesNotExist',
      (q) => q.whereFieldDoesNotExist('inPrint'),
      ['A Wizard of Earthsea', 'The Dispossessed', 'The Tombs of Atuan'],
    ],
    ['whereFieldIsGreaterThan', (q) => q.whereFieldIsGreaterThan('pages', 204), ['The Dispossessed']],
    [
      'whereFieldIsGreaterThanOrEqualTo',
      (q) => q.whereFieldIsGreaterThanOrEqualTo('pages', 204),
      ['Solaris', 'The Dispossessed'],
    ],
    ['whereFieldIsLessThan', (q) => q.whereFieldIsLessThan('pages', 183), ['The Tombs of Atuan']],
    [
      'whereFieldIsLessThanOrEqualTo',
      (q) => q.whereFieldIsLessThanOrEqualTo('pages', 183),
      ['A Wizard of Earthsea', 'The Tombs of Atuan'],
    ],
    [
      'whereFieldIsOneOf',
      (q) => q.whereFieldIsOneOf('pages', [163, 204, 1]),
      ['Solaris', 'The Tombs of Atuan'],
    ],
    [
      'whereFieldIsNotOneOf',
      (q) => q.whereFieldIsNotOneOf('pages', [163, 204]),
      ['A Wizard of Earthsea', 'The Dispossessed'],
    ],
    [
      'where',
      (q) => q.where({ $or: [{ pages: 163 }, { tags: 'utopia' }] }),
      ['The Dispossessed', 'The Tombs of Atuan'],
    ],
    [
      'several filters together',
      (q) => q.whereFieldContains('title', 'the').whereFieldIsGreaterThan('pages', 200),
      ['The Dispossessed'],
    ],
  ])('%s', async (_name, filter, expected) => {
    expect(await titles(filter(books()))).toEqual(expected);
  });

  it('sortBy sorts in both directions', async () => {
    const up = ['The Tombs of Atuan', 'A Wizard of Earthsea', 'Solaris', 'The Dispossessed'];
    expect(await titles(books().sortBy('pages', 'asc'))).toEqual(up);
    expect(await titles(books().sortBy('pages', 'desc'))).toEqual(up.reverse());
  });

  it('limitTo and goToPage select a page', async () => {
    const page = await books().limitTo(3).goToPage(2).find();
    expect(page.results.map((document: Any) => document.title)).toEqual(['The Tombs of Atuan']);
    expect(page.metadata).toMatchObject({
      limit: 3,
      page: 2,
      offset: 3,
      totalCount: 4,
      totalPages: 2,
      prevPage: 1,
    });
  });

  it('useFields selects fields', async () => {
    const [first] = await books().useFields(['title']).limitTo(1).find({ extractResults: true });
    expect(first).toEqual({ _id: expect.any(String), title: 'A Wizard of Earthsea' });
  });

  it('withComposition resolves references', async () => {
    const [solaris] = await books()
      .whereFieldIsEqualTo('title', 'Solaris')
      .withComposition()
      .find({ extractResults: true });
    expect(solaris.author).toMatchObject({ _id: authors[1]._id, name: 'Stanisław' });
    expect(solaris.composed).toEqual({ author: authors[1]._id });
  });

  it('extractMetadata returns the counts', async () => {
    const { metadata } = await books().whereFieldContains('title', 'the').find({ extractMetadata: true });
    expect(metadata).toMatchObject({ totalCount: 2, totalPages: 1 });
  });
});

describe('writes of the official client', () => {
  it('create takes one document and strips what the server owns', async () => {
    const { results } = await books().create({ title: 'Roadside Picnic', v: 7, _id: 'x', createdBy: 'me' });
    expect(results).toEqual([
      expect.objectContaining({ title: 'Roadside Picnic', v: 1, createdBy: ADMIN.clientId }),
    ]);
  });

  it('create rejects with the envelope', async () => {
    const refused = await books()
      .create({ pages: 1 })
      .catch((error: Any) => error);
    expect(refused.statusCode).toBe(400);
    expect(refused.error.success).toBe(false);
    expect(refused.error.errors).toEqual([
      expect.objectContaining({ field: 'title', message: 'A book needs a title' }),
    ]);
  });

  it('update changes what the query matches', async () => {
    const { results } = await books().whereFieldIsEqualTo('author', authors[0]._id).update({ inPrint: true });
    expect(results).toHaveLength(3);
    expect(await titles(books().where({ inPrint: true }))).toHaveLength(4);
  });

  it('update changes one document by its id', async () => {
    const [solaris] = await books().whereFieldIsEqualTo('title', 'Solaris').find({ extractResults: true });
    const { results } = await books().whereFieldIsEqualTo('_id', solaris._id).update({ pages: 205 });
    expect(results).toEqual([expect.objectContaining({ _id: solaris._id, pages: 205, v: 2 })]);
  });

  it('apply edits every document that it finds', async () => {
    const changed = await books()
      .whereFieldContains('title', 'the')
      .apply((document: Any) => ({ ...document, pages: document.pages + 1000 }));
    expect(changed.map(({ pages }: Any) => pages).sort()).toEqual([1163, 1341]);
    expect(await titles(books().whereFieldIsGreaterThan('pages', 1000))).toHaveLength(2);
  });

  it('delete removes what the query matches and nothing else', async () => {
    await books().whereFieldIsLessThan('pages', 200).delete();
    expect(await titles(books())).toEqual(['Solaris', 'The Dispossessed']);
  });

  it('delete with an empty filter is refused with a word on how to say that all are meant', async () => {
    const refusal = await books()
      .where({})
      .delete()
      .catch((error: Any) => error);
    expect(JSON.stringify(refusal)).toContain('"statusCode":400');
    expect(JSON.stringify(refusal)).toContain('all');
    expect(await titles(books())).toHaveLength(4);
    const every = { _id: { $ne: null } };
    await books().where(every).delete();
    expect(await titles(books())).toEqual([]);
  });
});

describe('other requests of the official client', () => {
  it('getConfig of a collection returns its fields', async () => {
    const specification = await books().getConfig();
    expect(specification.fields).toEqual(LIBRARY['1.0/library/books']?.['fields']);
  });

  it('getConfig of the server shows no secret', async () => {
    const config = await api().getConfig();
    expect(config.feedback).toBeDefined();
    expect(JSON.stringify(config)).not.toContain(ADMIN.secret);
  });

  it('getStats returns count, indexes and size', async () => {
    expect(await books().getStats()).toMatchObject({
      count: 4,
      indexes: expect.any(Number),
      size: expect.any(Number),
    });
  });

  it('getCollections lists the collections', async () => {
    const { collections } = await api().getCollections();
    expect(collections).toContainEqual({
      version: '1.0',
      database: 'library',
      name: 'books',
      slug: 'books',
      path: '/1.0/library/books',
    });
  });

  it('getStatus returns process, memory and service', async () => {
    const { process, memory, service } = await api().getStatus();
    expect(process.pid).toBeGreaterThan(0);
    expect(memory.rss).toBeGreaterThan(0);
    expect(service).toBeDefined();
  });

  it('gets a new token when its own is no longer good', async () => {
    const stale = books();
    await stale.find();
    const fresh = 'another secret for tests';
    await app.inject('PUT', `/api/clients/${ADMIN.clientId}/secret`, { body: { secret: fresh } });
    const renewed = api({ ...stale.options, credentials: { ...ADMIN, secret: fresh } });
    expect((await renewed.in('books').find()).results).toHaveLength(4);
    const token = await app.token(ADMIN.clientId, fresh);
    const back = { token, body: { secret: ADMIN.secret } };
    expect((await app.inject('PUT', `/api/clients/${ADMIN.clientId}/secret`, back)).status).toBe(200);
  });
});
