import { expect, test } from 'vitest';
import { ExtraWriteError } from '../../../src/collections/model/documents.ts';
import { commitWithRetry, translateCommitError } from '../../../src/collections/writes/commit.ts';
import { withDocumentLock } from '../../../src/collections/writes/targets.ts';
import { AppError, StoreError, toAppError } from '../../../src/errors/errors.ts';
import { createKeyedMutex } from '../../../src/lib/async/concurrency.ts';
import { callerNamed, collectionOf } from '../library-service.ts';

const PLANNED = [{ prefix: '' }, { prefix: 'author.', index: 3 }].map((position) => ({
  position,
  collections: [collectionOf('books', { fields: { title: {} } })],
}));
const ANN = callerNamed('ann');

test('a duplicate in a unique index names the fields of the request', () => {
  const error = translateCommitError(
    new StoreError('duplicate', { index: 1, fields: ['email', 'name'] }),
    PLANNED,
    ANN,
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
  const error = translateCommitError(
    new StoreError('parallel-arrays', { index: 0, fields: ['a'] }),
    PLANNED,
    ANN,
  );
  expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', items: [{ field: 'a' }] });
});

test('a rejection by a rule of the database names the fields where they are known', () => {
  const told = translateCommitError(new StoreError('refused', { index: 1, fields: ['pages'] }), PLANNED, ANN);
  const message = 'breaks a rule that the database has for this collection';
  const code = 'ERROR_VALUE_INVALID';
  expect(told).toMatchObject({
    code: 'DOCUMENT_INVALID',
    items: [{ field: 'author.pages', message, code, index: 3 }],
  });
  const items = [{ message: 'The database takes no such write to this collection', code, index: 3 }];
  expect(translateCommitError(new StoreError('refused', { index: 1 }), PLANNED, ANN)).toMatchObject({
    items,
  });
});

test('a write that waited too long says what its store knows, else that it may have been written', () => {
  const told = (explanation?: string) =>
    toAppError(
      translateCommitError(
        new StoreError('timeout', explanation === undefined ? {} : { explanation }),
        [],
        ANN,
      ),
    );
  expect(told()).toMatchObject({ code: 'QUERY_TIMEOUT', status: 503 });
  expect(told().message).toContain('may have been written');
  expect(told('Nothing was written').message).toBe('Nothing was written');
});

test('a document too large for the store is a 413, and other errors are returned as they are', () => {
  expect(translateCommitError(new StoreError('too-large'), [], ANN)).toMatchObject({ status: 413 });
  const busy = new StoreError('busy');
  expect(translateCommitError(busy, [], ANN)).toBe(busy);
  const defect = new TypeError('x');
  expect(translateCommitError(defect, [], ANN)).toBe(defect);
});

test('a rejected extra write is an ExtraWriteError and not retried', async () => {
  const planned = [{ prefix: '' }, { prefix: '', extraWrite: 0 }].map((position) => ({
    position,
    collections: [],
  }));
  const lost = translateCommitError(new StoreError('conflict', { index: 1 }), planned, ANN);
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
