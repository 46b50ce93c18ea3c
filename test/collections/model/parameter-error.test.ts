import { expect, test } from 'vitest';
import { createFilterError, createParameterError } from '../../../src/collections/model/parameter-error.ts';

test('a parameter error has the members that clients of the older dialect read', () => {
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

test('a filter error names at most 200 well-formed characters of the field', () => {
  const error = createFilterError(`\ud800${'x'.repeat(1000)}`, 'is unknown');
  expect(error.status).toBe(400);
  expect(error.items[0]?.field).toBe(`\ufffd${'x'.repeat(199)}`);
  expect(error.items[0]).toMatchObject({
    message: 'is unknown',
    code: 'Invalid Parameter',
    title: 'Invalid Filter Parameter Provided',
    details: 'is unknown',
  });
});
