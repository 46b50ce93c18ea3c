import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { tryAfterCommit } from '../../../src/collections/writes/answer.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { collectionOf, contextOf, type Library, openLibrary, parse } from '../library-service.ts';

const now = () => 1000;
const late = { ...contextOf(), deadline: 900 };

test('an answer has two seconds at least, or the time that the request has left', async () => {
  const deadlineFor = (context: typeof late) =>
    tryAfterCommit(async ({ deadline }) => deadline, { context, now });
  expect(await deadlineFor(late)).toBe(3000);
  expect(await deadlineFor({ ...late, deadline: 5000 })).toBe(5000);
});

test('errors of the database or its limits do not fail an answer; other errors do', async () => {
  const failing = (error: Error) => tryAfterCommit(() => Promise.reject(error), { context: late, now });
  expect(await failing(new StoreError('timeout'))).toBeUndefined();
  expect(await failing(new AppError('RESULT_TOO_LARGE'))).toBeUndefined();
  await expect(failing(new TypeError('ours'))).rejects.toThrow('ours');
});

describe('a database that does not answer after the commit', () => {
  const SOURCES = {
    books: { fields: { title: {}, author: { type: 'Reference', settings: { collection: 'people' } } } },
    people: { fields: { name: {} } },
  };
  let library: Library;
  let committed = false;

  /** Reads after a commit fail. */
  const wrap = (store: DocumentStore): DocumentStore => {
    const failing =
      <A extends unknown[], R>(read: (...args: A) => MaybePromise<R>) =>
      async (...args: A): Promise<R> => {
        if (committed) throw new StoreError('timeout');
        return read.apply(store, args);
      };
    return {
      ...store,
      find: failing(store.find),
      findText: failing(store.findText),
      findPage: failing(store.findPage),
      findByIds: failing(store.findByIds),
      count: failing(store.count),
      async commit(...args) {
        await store.commit(...args);
        committed = true;
      },
    };
  };

  beforeEach(async () => {
    committed = false;
    library = await openLibrary(SOURCES, { wrap });
  });
  afterEach(() => library.close());

  test('fails neither a create nor an update nor a removal', async () => {
    const [ann] = await library.create('people', { name: 'Ann' });
    const author = String(ann!['_id']);
    committed = false;
    const body = { title: 'A', author };
    const { results } = await library.documents.create(library.at('books'), body, contextOf(), {
      compose: true,
    });
    expect(parse(results[0]!)).toMatchObject(body);
    const id = String(parse(results[0]!)['_id']);
    committed = false;
    const page = await library.documents.updateById(library.at('books'), id, { title: 'B' }, contextOf(), {
      compose: true,
    });
    expect(parse(page.results[0]!)).toMatchObject({ title: 'B', author });
    committed = false;
    const removed = library.documents.removeById(library.at('books'), id, contextOf(), {
      countRemaining: true,
    });
    expect(await removed).toEqual({ deleted: 1, totalCount: undefined });
  });

  test('is not needed for what the commit itself wrote', async () => {
    const [book] = await library.create('books', { title: 'A', author: [{ name: 'Ann' }, { name: 'Bob' }] });
    committed = false;
    expect(book).toMatchObject({ title: 'A', author: await library.all('people') });
    const [ann, bob] = book!['author'] as JsonObject[];
    const update = {
      author: [
        { ...ann, name: 'Eve' },
        { ...bob, name: 'Bo' },
      ],
    };
    const id = String(book!['_id']);
    const page = await library.documents.updateById(library.at('books'), id, update, contextOf(), {});
    committed = false;
    const people = await library.all('people');
    expect(parse(page.results[0]!)).toMatchObject({ author: people });
    expect(people).toMatchObject([
      { name: 'Eve', v: 2 },
      { name: 'Bo', v: 2 },
    ]);
  });
});

describe('composition of a written document', () => {
  const SOURCES = {
    books: { fields: { title: {}, author: { type: 'Reference', settings: { collection: 'people' } } } },
    people: { fields: { name: {}, secret: {} }, settings: { fieldLimiters: { secret: 0 } } },
  };

  test('reads what the commit did not write, and what field limiters hide', async () => {
    const library = await openLibrary(SOURCES);
    onTestFinished(() => library.close());
    const [known] = await library.create('people', { name: 'Ann', secret: 'x' });
    const id = String(known!['_id']);
    const author = [id, { name: 'Bob', secret: 'y' }];
    const [book] = await library.create('books', { title: 'A', author });
    expect((book!['author'] as JsonObject[]).map(({ name, secret }) => [name, secret])).toEqual([
      ['Ann', undefined],
      ['Bob', undefined],
    ]);
    library.put(collectionOf('people', { fields: SOURCES.people.fields }));
    const [open] = await library.create('books', { title: 'B', author });
    expect((open!['author'] as JsonObject[]).map(({ name, secret }) => [name, secret])).toEqual([
      ['Ann', 'x'],
      ['Bob', 'y'],
    ]);
  });
});
