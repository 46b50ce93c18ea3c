import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ExtraWriteError } from '../../../src/collections/model/documents.ts';
import {
  commitWithRetry,
  translateCommitError,
  withAnswerDeadline,
} from '../../../src/collections/writes/commit.ts';
import { withDocumentLock } from '../../../src/collections/writes/targets.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';
import { createKeyedMutex } from '../../../src/lib/async/concurrency.ts';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { collectionOf, contextOf, type Library, openLibrary, parse } from '../library-service.ts';

const ORIGINS = [{ prefix: '' }, { prefix: 'author.', index: 3 }];

test('a duplicate in a unique index names the fields of the request', () => {
  const error = translateCommitError(
    new StoreError('duplicate', { index: 1, fields: ['email', 'name'] }),
    ORIGINS,
  );
  expect(error).toMatchObject({
    code: 'DOCUMENT_INVALID',
    items: [
      { field: 'author.email', message: 'must be unique', code: 'ERROR_UNIQUE', index: 3 },
      { field: 'author.name', message: 'must be unique', code: 'ERROR_UNIQUE', index: 3 },
    ],
  });
});

test('two lists under one index are reported by their fields', () => {
  const error = translateCommitError(new StoreError('parallel-arrays', { index: 0, fields: ['a'] }), ORIGINS);
  expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', items: [{ field: 'a' }] });
});

test('a rejection by a rule of the database names the fields where they are known', () => {
  const told = translateCommitError(new StoreError('refused', { index: 1, fields: ['pages'] }), ORIGINS);
  const message = 'breaks a rule that the database has for this collection';
  const code = 'ERROR_VALUE_INVALID';
  expect(told).toMatchObject({
    code: 'DOCUMENT_INVALID',
    items: [{ field: 'author.pages', message, code, index: 3 }],
  });
  const items = [{ message: 'The database takes no such write to this collection', code, index: 3 }];
  expect(translateCommitError(new StoreError('refused', { index: 1 }), ORIGINS)).toMatchObject({ items });
});

test('a document too large for the store is a 413, and other errors are returned as they are', () => {
  expect(translateCommitError(new StoreError('too-large'), [])).toMatchObject({ status: 413 });
  const busy = new StoreError('busy');
  expect(translateCommitError(busy, [])).toBe(busy);
  const defect = new TypeError('x');
  expect(translateCommitError(defect, [])).toBe(defect);
});

test('a rejected extra write is an ExtraWriteError and not retried', async () => {
  const origins = [{ prefix: '' }, { prefix: '', extraWrite: 0 }];
  const lost = translateCommitError(new StoreError('conflict', { index: 1 }), origins);
  expect(lost).toMatchObject({ name: 'ExtraWriteError', reason: 'conflict', position: 0 });
  let calls = 0;
  const attempt = async () => {
    calls += 1;
    throw lost;
  };
  await expect(commitWithRetry(attempt, clock(0))).rejects.toBeInstanceOf(ExtraWriteError);
  expect(calls).toBe(1);
});

const clock = (time: number) => ({ context: { deadline: 10 }, now: () => time });

function failing(times: number) {
  let calls = 0;
  return {
    calls: () => calls,
    attempt: async () => {
      calls += 1;
      if (calls <= times) throw new StoreError('conflict');
      return calls;
    },
  };
}

test('a conflict is retried up to 30 times, and not after the deadline', async () => {
  expect(await commitWithRetry(failing(3).attempt, clock(0))).toBe(4);
  const always = failing(Number.POSITIVE_INFINITY);
  await expect(commitWithRetry(always.attempt, clock(0))).rejects.toMatchObject({
    code: 'STORE_BUSY',
    headers: { 'Retry-After': '1' },
  });
  expect(always.calls()).toBe(30);
  const late = failing(Number.POSITIVE_INFINITY);
  await expect(commitWithRetry(late.attempt, clock(11))).rejects.toBeInstanceOf(AppError);
  expect(late.calls()).toBe(1);
});

test('other errors are not retried', async () => {
  const boom = async () => {
    throw new StoreError('timeout');
  };
  await expect(commitWithRetry(boom, clock(0))).rejects.toMatchObject({ reason: 'timeout' });
});

test('writes of one document run one after the other, those of posted code at once', async () => {
  const deps = { locks: createKeyedMutex() };
  const document = { collection: { namespace: { database: null, collection: 'books' } }, id: 'a' };
  const ended: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = withDocumentLock(deps, document, {}, () => promise.then(() => void ended.push('first')));
  const second = withDocumentLock(deps, document, { callDepth: 0 }, async () => void ended.push('second'));
  await withDocumentLock(deps, document, { callDepth: 1 }, async () => void ended.push('nested'));
  expect(ended).toEqual(['nested']);
  resolve();
  await Promise.all([first, second]);
  expect(ended).toEqual(['nested', 'first', 'second']);
});

const now = () => 1000;
const late = { ...contextOf(), deadline: 900 };

test('an answer has two seconds at least, or the time that the request has left', async () => {
  const deadlineFor = (context: typeof late) =>
    withAnswerDeadline(async ({ deadline }) => deadline, { context, now });
  expect(await deadlineFor(late)).toBe(3000);
  expect(await deadlineFor({ ...late, deadline: 5000 })).toBe(5000);
});

test('errors of the database or its limits do not fail an answer; other errors do', async () => {
  const failing = (error: Error) => withAnswerDeadline(() => Promise.reject(error), { context: late, now });
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
