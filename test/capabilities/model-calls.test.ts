import { expect, test } from 'vitest';
import { createResultJoiner } from '../../src/capabilities/model-calls.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openModels } from './model.ts';
import { grantOf } from './module.ts';

const BOOKS = '1.0/library/books';
const titles = (value: { results: { title: string }[] }) => value.results.map(({ title }) => title);
const book = (title: string, pages = 1) => ({ title, pages });

test('Model find returns the page of HTTP for every name of the collection', async () => {
  const { call, library } = await openModels();
  await library.create('books', [book('b'), book('c'), book('a'), book('d')]);
  for (const collection of ['books', 'library/books', BOOKS]) {
    const { ok, value } = await call('model.find', { collection }, [grantOf(BOOKS)]);
    expect(ok).toBe(true);
    expect(titles(value)).toEqual(['a', 'b', 'c']);
    expect(value.metadata).toMatchObject({ limit: 3, page: 1, totalCount: 4, totalPages: 2, nextPage: 2 });
  }
});

test('Model find accepts a query and options', async () => {
  const { call, library } = await openModels();
  await library.create('books', [book('a', 1), book('b', 2), book('c', 3), book('d', 4)]);
  const find = async (query: object | null, options: object) =>
    (await call('model.find', { collection: 'books', query, options } as never, [grantOf(BOOKS)])).value;
  expect(titles(await find({ pages: { $gt: 2 } }, {}))).toEqual(['c', 'd']);
  expect(titles(await find(null, { limit: 2, page: 2 }))).toEqual(['c', 'd']);
  expect(titles(await find({}, { count: 1, skip: 2 }))).toEqual(['c']);
  expect(titles(await find({}, { limit: 2, sort: { pages: -1 } }))).toEqual(['d', 'c']);
  expect(titles(await find({}, { limit: '2', sort: 'pages', unknown: [] }))).toEqual(['a', 'b']);
  const [only] = (await find({ title: 'a' }, { fields: { title: 1 } })).results;
  expect(Object.keys(only).sort()).toEqual(['_id', 'title']);
});

test('maxResults limits every page of Model', async () => {
  const { call, library } = await openModels();
  await library.create('books', [book('a'), book('b'), book('c'), book('d')]);
  const grants = [grantOf(BOOKS, { maxResults: 2 })];
  for (const limit of [0, 3, 1000, undefined]) {
    const { value } = await call('model.find', { collection: 'books', options: { limit } } as never, grants);
    expect(titles(value)).toEqual(['a', 'b']);
  }
});

test('Model count and stats return numbers', async () => {
  const { call, library } = await openModels();
  await library.create('books', [book('a', 1), book('b', 2)]);
  const counted = await call('model.count', { collection: 'books', query: { pages: 2 } }, [grantOf(BOOKS)]);
  expect(counted.value).toEqual({ metadata: { limit: 3, totalCount: 1, totalPages: 1 } });
  const stats = await call('model.stats', { collection: 'books' }, [grantOf(BOOKS)]);
  expect(stats.value).toMatchObject({ count: 2 });
});

test('Model create, update and delete write as the caller', async () => {
  const { call, library } = await openModels();
  const grants = [grantOf(BOOKS)];
  const created = await call('model.create', { collection: 'books', documents: book('a') }, grants);
  expect(created.value.results).toMatchObject([{ title: 'a', createdBy: 'ann', v: 1 }]);
  const query = { title: 'a' };
  const updated = await call('model.update', { collection: 'books', query, update: { pages: 7 } }, grants);
  expect(updated.value.results).toMatchObject([{ title: 'a', pages: 7, lastModifiedBy: 'ann' }]);
  expect(updated.value.metadata.totalCount).toBe(1);
  await library.create('books', book('b'));
  const removed = await call('model.delete', { collection: 'books', query }, grants);
  expect(removed.value).toEqual({ deleted: 1, deletedCount: 1, totalCount: 1 });
});

test('Model writes every document only where it is told to', async () => {
  const { call, library } = await openModels();
  await library.create('books', [book('a'), book('b')]);
  for (const name of ['model.update', 'model.delete']) {
    const { ok, value } = await call(name, { collection: 'books', query: {}, update: {} }, [grantOf(BOOKS)]);
    expect([ok, value.code, value.message]).toEqual([false, 'BAD_REQUEST', expect.stringContaining('all')]);
  }
  expect(await library.all('books')).toHaveLength(2);
});

test('maxResults limits writes of Model before anything is written', async () => {
  const { call, library } = await openModels();
  const grants = [grantOf(BOOKS, { maxResults: 1 })];
  await library.create('books', [book('a'), book('b')]);
  const many = {
    collection: 'books',
    query: {},
    options: { all: true },
    update: { pages: 9 },
    documents: [book('c'), book('d')],
  };
  for (const name of ['model.create', 'model.update', 'model.delete']) {
    const { ok, value } = await call(name, many, grants);
    expect([ok, value.code]).toEqual([false, 'WRITE_TOO_LARGE']);
  }
  expect((await library.all('books')).map(({ pages }) => pages)).toEqual([1, 1]);
});

test('validation errors of Model keep their items', async () => {
  const { call } = await openModels();
  const { ok, value } = await call('model.create', { collection: 'books', documents: [{ pages: 'x' }] }, [
    grantOf(BOOKS),
  ]);
  expect([ok, value.code]).toEqual([false, 'DOCUMENT_INVALID']);
  expect(value.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['pages', 'title']);
});

test.each([
  ['$where', { $where: 'sleep(1)' }],
  ['$function', { title: { $function: {} } }],
  ['an aggregation', { $out: 'people' }],
  ['an operand that is no value of the field', { pages: { $gte: 'abc' } }],
  ['such an operand in a list', { pages: { $nin: [1, 'abc'] } }],
  ['an instant that is none', { createdAt: { $lt: '31/12/2020' } }],
])('Model rejects a filter with %s as HTTP does', async (_name, query) => {
  const { call } = await openModels();
  const args = { collection: 'books', query, update: { pages: 1 } };
  for (const name of ['model.find', 'model.count', 'model.update', 'model.delete']) {
    const { ok, value } = await call(name, args, [grantOf(BOOKS)]);
    expect([name, ok, value.code]).toEqual([name, false, 'FILTER_INVALID']);
  }
});

test('Model needs a grant for collections behind references', async () => {
  const { call, library } = await openModels();
  const [person] = await library.create('people', { name: 'Bo' });
  await library.create('books', { ...book('a'), author: person!['_id']! });
  const args = { collection: 'books', options: { compose: true } };
  const alone = await call('model.find', args, [grantOf(BOOKS)]);
  expect(alone.value.results[0].author).toBe(person!['_id']);
  const both = [grantOf(BOOKS), grantOf('1.0/library/people', { actions: ['find'] })];
  const composed = await call('model.find', args, both);
  expect(composed.value.results[0].author).toMatchObject({ name: 'Bo' });
  const nested = { collection: 'books', documents: { title: 'n', author: { name: 'Cy' } } };
  expect((await call('model.create', nested, both)).value.code).toBe('NOT_PERMITTED');
  expect(await library.all('people')).toHaveLength(1);
});

test('Model cannot write revision collections, nor create media documents', async () => {
  const { call } = await openModels();
  const grants = [grantOf('1.0/library/old'), grantOf('1.0/library/files')];
  const write = (collection: string) =>
    call('model.create', { collection, documents: { title: 'x' } }, grants);
  expect((await write('old')).value.code).toBe('METHOD_NOT_ALLOWED');
  expect((await write('files')).value.code).toBe('DOCUMENT_INVALID');
  expect((await call('model.find', { collection: 'old' }, grants)).ok).toBe(true);
});

test('Model rejects reads of too large documents and counts them for writes', async () => {
  const { call, library } = await openModels();
  const large = 'x'.repeat(900_000);
  const grants = [grantOf('1.0/library/open')];
  await library.create(
    'open',
    Array.from({ length: 10 }, () => ({ title: large })),
  );
  const found = await call('model.find', { collection: 'open', options: { limit: 10 } }, grants);
  expect([found.ok, found.value.code]).toEqual([false, 'RESULT_TOO_LARGE']);
  const update = { collection: 'open', query: {}, options: { all: true }, update: { title: `${large}y` } };
  const updated = await call('model.update', update, grants);
  expect(updated.value).toMatchObject({ results: [], omitted: 10, metadata: { totalCount: 10 } });
});

test('deleting every document through Model is logged', async () => {
  const { call, library, logged } = await openModels();
  await library.create('open', [{ title: 'a' }]);
  await call('model.delete', { collection: 'open', query: {}, options: { all: true } }, [
    grantOf('1.0/library/open'),
  ]);
  expect(logged).toMatchObject([
    { fields: { requestId: 'r1', module: 'endpoint:1.0/report', path: '/1.0/library/open', deleted: 1 } },
  ]);
});

test('a Model query after its deadline is a timeout', async () => {
  const deadlines: (number | undefined)[] = [];
  const wrap = (store: DocumentStore): DocumentStore => ({
    ...store,
    stats: (ns, options) => {
      deadlines.push(options?.deadline);
      return store.stats(ns, options);
    },
  });
  const { call } = await openModels({ wrap, queryMs: 60_000 });
  const args = { collection: 'books' };
  const before = Date.now();
  await call('model.stats', args, [grantOf(BOOKS)]);
  expect(deadlines[0]).toBeGreaterThanOrEqual(before + 60_000);
  await call('model.stats', args, [grantOf(BOOKS)], { deadline: before + 30_000 });
  expect(deadlines[1]).toBe(before + 30_000);
  const late = await call('model.find', args, [grantOf(BOOKS)], { deadline: before - 1 });
  expect([late.ok, late.value.code]).toEqual([false, 'QUERY_TIMEOUT']);
});

test.each([
  ['model.update', { query: {}, options: { all: true } }, '`update` must be a JSON object'],
  ['model.update', { update: {} }, '`query` must be a JSON object'],
  ['model.delete', {}, '`query` must be a JSON object'],
  ['model.create', {}, 'must be a JSON object'],
])('Model %s with %j says what is missing, as HTTP does', async (name, args, message) => {
  const { call } = await openModels();
  const { ok, value } = await call(name, { collection: 'books', ...args } as never, [grantOf(BOOKS)]);
  expect([ok, value]).toMatchObject([false, { message, statusCode: 400, errors: [{ message }] }]);
});

test('results of Model are joined to one text unless they are too large together', async () => {
  const write = createResultJoiner();
  expect(await write('')).toBe('');
  expect(await write('{"a":1},{"a":2}')).toBe('{"a":1},{"a":2}');
  expect(await write(['{"a":1}', ',', '{"a":2}'])).toBe('{"a":1},{"a":2}');
  const large = 'ü'.repeat(2 * 1024 * 1024);
  expect(await write([large, large])).toBe(`${large}${large}`);
  expect(await write([large, large, 'x'])).toBeUndefined();
});

test('long results of Model are joined one per tick of the event loop, short ones at once', async () => {
  const write = createResultJoiner();
  const order: string[] = [];
  const long = 'x'.repeat(100_000);
  const tick = () => {
    order.push('turn');
    if (order.length < 20) setImmediate(tick);
  };
  setImmediate(tick);
  const written = ['a', 'b', 'c'].map((name) => write([long]).then(() => order.push(name)));
  await write(['x']).then(() => order.push('short'));
  await Promise.all(written);
  expect(order.filter((what, at) => what !== 'turn' || order[at - 1] !== 'turn')).toEqual([
    ...['short', 'turn', 'a', 'turn', 'b', 'turn', 'c'],
  ]);
});
