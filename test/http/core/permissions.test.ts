// Whoever may not read or write a collection gets nowhere near its documents, on whichever way they try.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { BOOKS, PEOPLE } from '../../helpers/fixtures/library.ts';

const BOOKS_PATH = '/1.0/library/books';
const PEOPLE_PATH = '/1.0/library/people';
const SECRET = 'Ann of the other collection';
const REVISIONS: JsonObject = { fields: { title: {} }, settings: {} };
const ARCHIVED: JsonObject = {
  fields: {
    title: {},
    keeper: { type: 'Reference', settings: { database: 'library', collection: 'people' } },
  },
  settings: {},
};

let app: TestApp;
let person: string;
let book: string;
let archived: string;
/** May use `books` (and `archive`), not `people`. */
let reader: string;

beforeAll(async () => {
  app = await startApp({
    config: { cache: true, database: { enableCollectionDatabases: true } },
    specs: {
      '1.0/library/books': BOOKS,
      '1.0/library/people': PEOPLE,
      '1.0/library/booksHistory': REVISIONS,
      '2.0/library/books': BOOKS,
      '1.0/vault/archive': ARCHIVED,
    },
  });
  const create = async (path: string, body: JsonObject): Promise<string> => {
    const answer = await app.inject('POST', path, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.results[0]._id;
  };
  person = await create(PEOPLE_PATH, { name: SECRET });
  book = await create(BOOKS_PATH, { title: 'A book', author: person });
  archived = await create('/1.0/vault/archive', { title: 'Kept', keeper: person });
  reader = await app.userToken('reader', { collections: [{ path: 'books' }, { path: 'archive' }] });
});

afterAll(() => app.close());

const query = (filter: object) => `filter=${encodeURIComponent(JSON.stringify(filter))}`;
const nobody = { token: null };

describe('a collection that the client has no permission for', () => {
  it.each([
    ['GET', ''],
    ['HEAD', ''],
    ['OPTIONS', ''],
    ['GET', '/'],
    ['GET', '/count'],
    ['GET', '/stats'],
    ['GET', '/ID'],
    ['GET', '/ID/'],
    ['GET', '/ID/history'],
    ['GET', '/0123456789abcdef01234567'],
    ['GET', '/notanid'],
    ['GET', '?cache=false&callback=show'],
    ['POST', ''],
    ['POST', '/ID'],
    ['PUT', ''],
    ['PUT', '/ID'],
    ['DELETE', ''],
    ['DELETE', '/ID'],
    ['PATCH', ''],
  ])('%s …%s is 401 with its path as the realm', async (method, rest) => {
    const path = PEOPLE_PATH + rest.replace('ID', person);
    const body = ['POST', 'PUT', 'DELETE'].includes(method) ? { body: { query: {}, update: {} } } : {};
    const refused = await app.inject(method, path, { token: reader, ...body });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="${path.split('?')[0]}"`,
    ]);
    expect(refused.text).not.toContain(SECRET);
    const anonymous = await app.inject(method, path, { ...nobody, ...body });
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([
      401,
      'Bearer, error="no_token", error_description="No access token supplied"',
    ]);
  });

  it('still has its document after all rejected requests', async () => {
    const { body } = await app.inject('GET', `${PEOPLE_PATH}/${person}`);
    expect(body.results[0]).toMatchObject({ name: SECRET, v: 1 });
  });

  it('is not listed', async () => {
    const { body } = await app.inject('GET', '/api/collections', { token: reader });
    expect(body.collections.map(({ path }: { path: string }) => path)).toEqual([
      '/1.0/library/books',
      '/1.0/vault/archive',
      '/2.0/library/books',
    ]);
  });
});

describe('a collection that is reached through a reference', () => {
  it.each([
    ['a list', `${BOOKS_PATH}?compose=true`, 'author'],
    ['a single document', `${BOOKS_PATH}/BOOK?compose=true`, 'author'],
    ['another database', '/1.0/vault/archive?compose=true', 'keeper'],
    ['a single document of another database', '/1.0/vault/archive/ARCHIVED?compose=true', 'keeper'],
  ])('stays an id in %s, also when the cache holds the whole', async (_name, path, field) => {
    const at = path.replace('BOOK', book).replace('ARCHIVED', archived);
    const whole = await app.inject('GET', at);
    expect(whole.body.results[0][field]).toMatchObject({ name: SECRET });
    const limited = await app.inject('GET', at, { token: reader });
    expect(limited.status).toBe(200);
    expect(limited.body.results[0][field]).toBe(person);
    expect(limited.text).not.toContain(SECRET);
  });

  it('stays an id in the answer to a write', async () => {
    const put = { token: reader, body: { pages: 5 } };
    const { body } = await app.inject('PUT', `${BOOKS_PATH}/${book}?compose=true`, put);
    expect(body.results[0].author).toBe(person);
    const post = { token: reader, body: { title: 'Another', author: person } };
    const created = await app.inject('POST', `${BOOKS_PATH}?compose=true`, post);
    expect(created.body.results[0].author).toBe(person);
  });

  it.each([
    ['GET', `${BOOKS_PATH}?${query({ 'author.name': SECRET })}`],
    ['GET', `${BOOKS_PATH}?${query({ $or: [{ title: 'x' }, { 'author.name': { $regex: '^A' } }] })}`],
    ['GET', `${BOOKS_PATH}/count?${query({ 'author.friend.name': 'x' })}`],
    ['GET', `${BOOKS_PATH}/count?${query({ 'author.name': { $exists: false } })}`],
    ['GET', `${BOOKS_PATH}?${query({ author: { $not: { $elemMatch: { name: SECRET } } } })}`],
    ['GET', `${BOOKS_PATH}/BOOK?${query({ 'author.name': SECRET })}`],
    ['GET', `${BOOKS_PATH}/BOOK/history?${query({ 'author.name': SECRET })}`],
    ['GET', `${BOOKS_PATH}?includeHistory=true&historyFilters=${encodeURIComponent('{"author.name":"x"}')}`],
    ['GET', `/1.0/vault/archive?${query({ 'keeper.name': SECRET })}`],
    ['PUT', BOOKS_PATH],
    ['DELETE', BOOKS_PATH],
    ['POST', BOOKS_PATH],
  ])('cannot be used in a filter: %s %s', async (method, path) => {
    const body = {
      query: { 'author.name': SECRET },
      ...(method === 'DELETE' ? {} : { update: { pages: 9 } }),
    };
    const options = { token: reader, ...(method === 'GET' ? {} : { body }) };
    const refused = await app.inject(method, path.replace('BOOK', book), options);
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'Invalid Parameter']);
  });

  const nested: readonly (readonly [string, string, string, () => JsonObject])[] = [
    ['created', 'POST', BOOKS_PATH, () => ({ title: 'New', author: { name: 'Eve' } })],
    [
      'created in a batch',
      'POST',
      BOOKS_PATH,
      () => ({ title: 'New', related: [{ title: 'x', author: { name: 'Eve' } }] }),
    ],
    ['created by an update', 'PUT', `${BOOKS_PATH}/BOOK`, () => ({ author: { name: 'Eve' } })],
    ['changed', 'PUT', `${BOOKS_PATH}/BOOK`, () => ({ author: { _id: person, name: 'Eve' } })],
    [
      'changed on the way',
      'POST',
      BOOKS_PATH,
      () => ({ title: 'New', author: { _id: person, name: 'Eve' } }),
    ],
    ['compared', 'PUT', `${BOOKS_PATH}/BOOK`, () => ({ author: { _id: person, name: SECRET } })],
    [
      'changed by a query',
      'PUT',
      BOOKS_PATH,
      () => ({ query: { _id: book }, update: { author: { _id: person, name: 'Eve' } } }),
    ],
    [
      'changed in another database',
      'PUT',
      '/1.0/vault/archive/ARCHIVED',
      () => ({ keeper: { _id: person, name: 'Eve' } }),
    ],
  ];
  it.each(nested)('cannot be %s by a nested write', async (_name, method, at, body) => {
    const path = at.replace('BOOK', book).replace('ARCHIVED', archived);
    const counted = async () => (await app.inject('GET', `${BOOKS_PATH}/count`)).body.metadata.totalCount;
    const before = await counted();
    const refused = await app.inject(method, path, { token: reader, body: body() });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, `Bearer realm="${path}"`]);
    expect(refused.body).toMatchObject({ statusCode: 401, success: false });
    expect(await counted()).toBe(before);
    const people = await app.inject('GET', PEOPLE_PATH);
    expect(people.body.results).toEqual([expect.objectContaining({ name: SECRET, v: 1 })]);
  });

  it('can be sent back as its id', async () => {
    const body = { author: { _id: person } };
    const { status, body: answer } = await app.inject('PUT', `${BOOKS_PATH}/${book}`, {
      token: reader,
      body,
    });
    expect([status, answer.results[0].author]).toEqual([200, person]);
  });
});

describe('revisions', () => {
  it('follow the documents under their path, and the permission of their own name elsewhere', async () => {
    const own = await app.inject('GET', `${BOOKS_PATH}/${book}/history`, { token: reader });
    expect([own.status, own.body.results.length > 0]).toEqual([200, true]);
    expect((await app.inject('GET', '/1.0/library/booksHistory', { token: reader })).status).toBe(401);
    const auditor = await app.userToken('auditor', { collections: [{ path: 'booksHistory' }] });
    expect((await app.inject('GET', '/1.0/library/booksHistory', { token: auditor })).status).toBe(200);
    expect((await app.inject('GET', `${BOOKS_PATH}/${book}/history`, { token: auditor })).status).toBe(401);
  });
});

describe('permissions', () => {
  it('can be bound to a version', async () => {
    const token = await app.userToken('pinned', { collections: [{ path: 'books', apiVersion: '2.0' }] });
    const status = async (path: string) => (await app.inject('GET', path, { token })).status;
    expect(await status('/2.0/library/books')).toBe(200);
    expect(await status(BOOKS_PATH)).toBe(401);
    expect(await status(`${BOOKS_PATH}/${book}`)).toBe(401);
  });

  it('for endpoints give no access to collections', async () => {
    const token = await app.userToken('caller', { endpoints: [{ path: 'books' }] });
    expect((await app.inject('GET', BOOKS_PATH, { token })).status).toBe(401);
  });

  it('change at once with the client', async () => {
    const token = await app.userToken('changed');
    expect((await app.inject('GET', PEOPLE_PATH, { token })).status).toBe(200);
    await app.inject('PUT', '/api/clients/changed', { body: { permissions: { collections: [] } } });
    expect((await app.inject('GET', PEOPLE_PATH, { token })).status).toBe(401);
  });

  it('give no access to administration', async () => {
    for (const token of [reader, await app.userToken('unlimited')]) {
      for (const [method, path] of [
        ['GET', `${BOOKS_PATH}/config`],
        ['POST', `${BOOKS_PATH}/config`],
        ['DELETE', `${BOOKS_PATH}/config`],
        ['POST', '/1.0/library/fresh/config'],
        ['GET', '/api/config'],
        ['POST', '/api/config'],
        ['GET', '/api/clients'],
        ['POST', '/api/clients'],
        ['GET', '/api/clients/reader'],
        ['PUT', '/api/clients/reader'],
        ['DELETE', '/api/clients/reader'],
        ['PUT', '/api/clients/reader/secret'],
        ['POST', '/api/flush'],
      ] as const) {
        const { status, headers } = await app.inject(method, path, { token, body: {} });
        expect([path, status, headers['www-authenticate']]).toEqual([path, 401, `Bearer realm="${path}"`]);
      }
    }
  });
});
