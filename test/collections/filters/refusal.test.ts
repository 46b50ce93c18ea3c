import { expect, test } from 'vitest';
import { refuseFilter } from '../../../src/collections/filters/refusal.ts';

test('names the culprit, however long or broken it is', () => {
  const error = refuseFilter(`\ud800${'x'.repeat(1000)}`, 'is unknown');
  expect(error.status).toBe(400);
  expect(error.items[0]?.field).toBe(`\ufffd${'x'.repeat(199)}`);
  expect(error.items[0]).toMatchObject({
    message: 'is unknown',
    code: 'Invalid Parameter',
    title: 'Invalid Filter Parameter Provided',
    details: 'is unknown',
  });
});
