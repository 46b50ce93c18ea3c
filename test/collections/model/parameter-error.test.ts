import { expect, test } from 'vitest';
import { createParameterError } from '../../../src/collections/model/parameter-error.ts';

test('speaks as clients of the older dialect expect', () => {
  const error = createParameterError('fields', 'no');
  expect(error.status).toBe(400);
  expect(error.items).toEqual([
    {
      field: 'fields',
      message: 'no',
      status: 'Bad Request',
      code: 'Invalid Parameter',
      title: 'Invalid Fields Parameter Provided',
      details: 'no',
    },
  ]);
});
