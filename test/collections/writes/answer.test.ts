import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withAnswerDeadline } from '../../../src/collections/writes/answer.ts';
import { AppError, StoreError } from '../../../src/errors.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { contextOf, type Library, openLibrary, parse } from '../library-service.ts';

const now = () => 1000;
const late = { ...contextOf(), deadline: 900 };

test('has time of its own, or what the request has left', async () => {
  const deadlineFor = (context: typeof late) =>
    withAnswerDeadline(async ({ deadline }) => deadline, { context, now });
  expect(await deadlineFor(late)).toBe(3000);
  expect(await deadlineFor({ ...late, deadline: 5000 })).toBe(5000);
});

test('what the database or its bounds refuse is left out; a mistake of ours is not', async () => {
  const failing = (error: Error) => withAnswerDeadline(() => Promise.reject(error), { context: late, now });
  expect(await failing(new StoreError('timeout'))).toBeUndefined();
  expect(await failing(new AppError('RESULT_TOO_LARGE'))).toBeUndefined();
  await expect(failing(new TypeError('ours'))).rejects.toThrow('ours');
});

describe('a database that stops to answer with the commit', () => {
  const SOURCES = {
    books: { fields: { title: {}, author: { type: 'Reference', settings: { collection: 'people' } } } },
    people: { fields: { name: {} } },
  };
  let library: Library;
  let committed = false;

  /** Reads after a commit fail. */
  const wrap = (store: DocumentStore): DocumentStore => {
    const failing =
      <A extends unknown[], R>(read: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (committed) throw new StoreError('timeout');
        return read.apply(store, args);
      };
    return {
      ...store,
      find: failing(store.find),
      findText: failing(store.findText),
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

  test('a create, an update and a removal succeed, with ids and without counts', async () => {
    const body = { title: 'A', author: { name: 'Ann' } };
    const [book] = await library.create('books', body);
    expect(book).toMatchObject({ title: 'A', author: expect.stringMatching(/^[0-9a-f]{24}$/) });
    const id = String(book!['_id']);
    committed = false;
    const page = await library.documents.updateById(library.at('books'), id, { title: 'B' }, contextOf(), {
      compose: true,
    });
    expect(parse(page.results[0]!)).toMatchObject({ title: 'B', author: book!['author']! });
    committed = false;
    const removed = library.documents.removeById(library.at('books'), id, contextOf(), { counts: true });
    expect(await removed).toEqual({ deleted: 1, totalCount: undefined });
  });
});
