import { expect, test } from 'vitest';
import { createFilterError } from '../../../src/collections/filters/filter-error.ts';

test('names the culprit, however long or broken it is', () => {
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
