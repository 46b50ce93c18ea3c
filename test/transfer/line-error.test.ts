import { expect, it } from 'vitest';
import { lineError } from '../../src/transfer/line-error.ts';

it('begins with the line', () => {
  const cause = new Error('deep inside');
  expect(lineError(12, 'is not JSON', cause)).toMatchObject({
    code: 'DOCUMENT_INVALID',
    items: [{ message: 'line 12: is not JSON' }],
    cause,
  });
});
