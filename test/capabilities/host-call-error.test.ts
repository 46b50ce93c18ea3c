import { expect, test } from 'vitest';
import { HostCallError, hostCallErrorResult } from '../../src/capabilities/host-call-error.ts';
import { AppError } from '../../src/errors/errors.ts';

const told = (error: AppError | HostCallError) => {
  const { ok, text } = hostCallErrorResult(error);
  expect(ok).toBe(false);
  return JSON.parse(text);
};

test('a HostCallError is a code and a message for the guest', () => {
  expect(told(new HostCallError('TOO_DEEP', 'no "further"'))).toEqual({
    code: 'TOO_DEEP',
    message: 'no "further"',
  });
});

test('an AppError keeps its items for the guest', () => {
  const item = { field: 'title', message: 'must be specified', code: 'ERROR_REQUIRED' };
  expect(told(new AppError('DOCUMENT_INVALID', { items: [item] }))).toEqual({
    code: 'DOCUMENT_INVALID',
    message: 'must be specified',
    errors: [item],
    statusCode: 400,
  });
  const two = told(new AppError('DOCUMENT_INVALID', { items: [item, item] }));
  expect(two.message).toBe('The document is not valid');
  expect(two.errors).toHaveLength(2);
});

test('an internal error hides its cause from the guest', () => {
  const cause = new Error('SQLITE_CORRUPT at /var/data');
  expect(hostCallErrorResult(new AppError('INTERNAL', { cause })).text).toBe(
    '{"code":"INTERNAL","message":"Something went wrong"}',
  );
  expect(told(new AppError('STORE_UNAVAILABLE', { cause })).errors).toBeUndefined();
});
