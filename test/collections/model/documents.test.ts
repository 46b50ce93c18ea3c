import { expect, test } from 'vitest';
import { ExtraWriteError } from '../../../src/collections/model/documents.ts';
import { StoreError } from '../../../src/errors/errors.ts';

test('a write error says which write was refused, and why, as an error of the store', () => {
  const cause = new StoreError('duplicate', { index: 4, fields: ['_id'] });
  const error = new ExtraWriteError(cause, 1);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ reason: 'duplicate', position: 1, fields: ['_id'], cause });
});
