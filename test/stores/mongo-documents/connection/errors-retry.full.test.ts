// What is worth another attempt, and how many there are.
import {
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import {
  isRetryable,
  isUnappliedWrite,
  retryOperation,
  retryRead,
} from '../../../../src/stores/mongo-documents/connection/errors.ts';
import { rejection } from '../connections.ts';

const coded = (code: number) => new MongoServerError({ errmsg: 'no', code });
const scope = { remainingMs: () => 1000 };
const random = () => 0;

/** Throws so often before it gives `done`, and counts. */
function failing(times: number, error: unknown) {
  const asked = { times: 0 };
  const work = async () => {
    asked.times += 1;
    if (asked.times <= times) throw error;
    return 'done';
  };
  return { asked, work };
}

describe('a retry', () => {
  it.each([
    ['QueryPlanKilled', coded(175), true],
    ['a code that nobody listed', coded(98_765), true],
    ['a change of the primary', coded(10_107), true],
    ['a connection that broke', new MongoNetworkError('gone'), true],
    ['a socket that the other side ended', Object.assign(new Error('ended'), { code: 'EPIPE' }), true],
    ['a limit of the server', coded(262), true],
    ['a failure that has its name already', new StoreError('failed'), true],
    ['a limit of the caller', coded(50), false],
    ['a missing privilege', coded(13), false],
    ['no server at all', new MongoServerSelectionError('none', {} as never), false],
    ['a document that is there', coded(11_000), false],
    ['a conflict', new StoreError('conflict'), false],
    ['a defect of ours', new TypeError('no function'), false],
  ])('after %s is as expected', (_what, error, expected) => {
    expect(isRetryable(error)).toBe(expected);
  });

  it('of a write follows only errors without effect', () => {
    expect([175, 112, 24].every((code) => isUnappliedWrite(coded(code)))).toBe(true);
    expect([8, 91, 10_107, 98_765].some((code) => isUnappliedWrite(coded(code)))).toBe(false);
    expect(isUnappliedWrite(new MongoWriteConcernError({ writeConcernError: { code: 175 } } as never))).toBe(
      false,
    );
    expect(isUnappliedWrite(new MongoNetworkError('gone'))).toBe(false);
  });

  it('is limited to five attempts', async () => {
    const some = failing(4, coded(175));
    expect(await retryRead(scope, some.work, random)).toBe('done');
    const ever = failing(99, coded(175));
    expect(await rejection(retryRead(scope, ever.work, random))).toMatchObject({ code: 175 });
    expect([some.asked.times, ever.asked.times]).toEqual([5, 5]);
  });

  it('does not happen past the deadline or after a permanent error', async () => {
    const late = failing(99, coded(175));
    const over = {
      remainingMs: () => {
        throw new StoreError('timeout');
      },
    };
    expect(await rejection(retryRead(over, late.work, random))).toMatchObject({ reason: 'timeout' });
    const refused = failing(99, coded(11_000));
    const asked = retryOperation(scope, refused.work, { isRetryable, random });
    expect(await rejection(asked)).toMatchObject({ code: 11_000 });
    expect([late.asked.times, refused.asked.times]).toEqual([1, 1]);
  });
});
