import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FetchFailedError, FetchRefusedError } from '../../../src/lib/egress/fetch-errors.ts';
import { rejectOnAbort, withFetchTimeout } from '../../../src/lib/egress/http-request.ts';

const forever = () => new Promise<never>(() => undefined);
const until = (signal: AbortSignal) => rejectOnAbort(forever(), signal);
const late = { reason: 'timeout' };

test('a task that ends before its time limit is not aborted, and no timer or listener remains', async () => {
  const { signal } = new AbortController();
  expect(await withFetchTimeout({ timeoutMs: 60_000, aborted: signal }, async () => 'done')).toBe('done');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a task is aborted by its time limit or by the end of the request', async () => {
  const { signal } = new AbortController();
  await expect(withFetchTimeout({ timeoutMs: 10, aborted: signal }, until)).rejects.toMatchObject(late);
  const over = withFetchTimeout({ timeoutMs: 60_000, aborted: AbortSignal.abort() }, until);
  await expect(over).rejects.toMatchObject(late);
  const controller = new AbortController();
  const ending = withFetchTimeout({ timeoutMs: 60_000, aborted: controller.signal }, until);
  controller.abort();
  await expect(ending).rejects.toMatchObject(late);
});

test('a task that fails before it is aborted keeps its reason, and so does a rejection after it', async () => {
  const { signal } = new AbortController();
  const fail = (error: Error) => async () => {
    throw error;
  };
  const broken = new FetchFailedError('broken');
  await expect(withFetchTimeout({ timeoutMs: 60_000, aborted: signal }, fail(broken))).rejects.toBe(broken);
  const refused = new FetchRefusedError('grant', 'http://a');
  const over = { timeoutMs: 60_000, aborted: AbortSignal.abort() };
  await expect(withFetchTimeout(over, fail(refused))).rejects.toBe(refused);
  await expect(withFetchTimeout(over, fail(broken))).rejects.toMatchObject({ ...late, cause: broken });
});

test('a promise that settles before the abort wins, and a late rejection is handled', async () => {
  const controller = new AbortController();
  expect(await rejectOnAbort(Promise.resolve(1), controller.signal)).toBe(1);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = rejectOnAbort(promise, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject(late);
  reject(new Error('too late'));
});
