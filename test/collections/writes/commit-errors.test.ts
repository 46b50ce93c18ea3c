import { expect, test } from 'vitest';
import { ExtraWriteError } from '../../../src/collections/model/extra-write-error.ts';
import { commitWithRetry, translateCommitError } from '../../../src/collections/writes/commit-errors.ts';
import { AppError, StoreError } from '../../../src/errors.ts';

const ORIGINS = [{ prefix: '' }, { prefix: 'author.', index: 3 }];

test('a breach of a unique index names the fields in the request', () => {
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

test('two lists under one index are told by their fields', () => {
  const error = translateCommitError(new StoreError('parallel-arrays', { index: 0, fields: ['a'] }), ORIGINS);
  expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', items: [{ field: 'a' }] });
});

test('what the database refuses by a rule of its own is told with its fields, or without', () => {
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

test('a document that the store finds too large is a 413, everything else stays what it is', () => {
  expect(translateCommitError(new StoreError('too-large'), [])).toMatchObject({ status: 413 });
  const busy = new StoreError('busy');
  expect(translateCommitError(busy, [])).toBe(busy);
  const defect = new TypeError('x');
  expect(translateCommitError(defect, [])).toBe(defect);
});

test('what is wrong with a write beside the documents is told to whoever asked for it, once', async () => {
  const origins = [{ prefix: '' }, { prefix: '', beside: 0 }];
  const lost = translateCommitError(new StoreError('conflict', { index: 1 }), origins);
  expect(lost).toMatchObject({ name: 'BesideError', reason: 'conflict', position: 0 });
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

test('a lost race is run again, but not for ever and not beyond the deadline', async () => {
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

test('other errors end it at once', async () => {
  const boom = async () => {
    throw new StoreError('timeout');
  };
  await expect(commitWithRetry(boom, clock(0))).rejects.toMatchObject({ reason: 'timeout' });
});
