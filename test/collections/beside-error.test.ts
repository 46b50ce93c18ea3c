import { expect, test } from 'vitest';
import { BesideError } from '../../src/collections/beside-error.ts';
import { StoreError } from '../../src/errors.ts';

test('says which write was refused, and why, as an error of the store', () => {
  const cause = new StoreError('duplicate', { index: 4, fields: ['_id'] });
  const error = new BesideError(cause, 1);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ reason: 'duplicate', position: 1, fields: ['_id'], cause });
});
