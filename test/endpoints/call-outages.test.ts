// Which errors of code are those of the database.
import { expect, it } from 'vitest';
import { guestCallErrorResult } from '../../src/capabilities/guest-call.ts';
import { watchOutages } from '../../src/endpoints/call.ts';
import { AppError, type ErrorCode } from '../../src/errors/errors.ts';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';

const CALL = { name: 'model.find', args: '{}' };
const { signal } = new AbortController();

const uncaught = (message: string): InvocationResult => ({
  kind: 'failure',
  code: 'ENDPOINT_ERROR',
  message,
});

async function watchCall(code: ErrorCode) {
  const error = new AppError(code);
  const watch = watchOutages(async () => guestCallErrorResult(error));
  expect((await watch.perform(CALL, signal)).ok).toBe(false);
  return { watch, thrown: uncaught(`Error: ${error.message}`) };
}

it.each(['STORE_UNAVAILABLE', 'QUERY_TIMEOUT', 'STORE_BUSY'] as const)(
  'code that does not catch %s of a call is answered with that, and when to come back',
  async (code) => {
    const { watch, thrown } = await watchCall(code);
    const error = watch.errorOf(thrown);
    expect(error).toMatchObject({ code, status: 503 });
    expect(Number(error?.headers['Retry-After'])).toBeGreaterThan(0);
  },
);

it('what code throws by itself stays its own error, also after a call that failed', async () => {
  const { watch } = await watchCall('STORE_UNAVAILABLE');
  expect(watch.errorOf(uncaught('TypeError: x is not a function'))).toBeUndefined();
  expect(watch.errorOf({ kind: 'failure', code: 'ENDPOINT_TIMEOUT', message: '' })).toBeUndefined();
});

it('code that imitates the error without such a call has an error of its own', async () => {
  const { watch, thrown } = await watchCall('NOT_FOUND');
  expect(watch.errorOf(thrown)).toBeUndefined();
  const idle = watchOutages(async () => ({ ok: true, text: '{}' }));
  await idle.perform(CALL, signal);
  expect(idle.errorOf(uncaught(new AppError('STORE_UNAVAILABLE').message))).toBeUndefined();
});

it('an error that is no object, as no call gives it, is passed on and means nothing', async () => {
  const watch = watchOutages(async () => ({ ok: false, text: '1' }));
  expect(await watch.perform(CALL, signal)).toEqual({ ok: false, text: '1' });
  expect(watch.errorOf(uncaught('1'))).toBeUndefined();
});
