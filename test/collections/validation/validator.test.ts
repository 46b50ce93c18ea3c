import { expect, test } from 'vitest';
import { createValidator } from '../../../src/collections/validation/validator.ts';
import { collectionOf } from '../library-service.ts';

const people = collectionOf('people', {
  fields: { name: { required: true }, code: { validation: { regex: { pattern: '(?=a)a' } } } },
});
const PLACE = { mode: 'create' as const, origin: { prefix: 'author.', index: 2 } };

test('places each failure in the request', () => {
  const { validate } = createValidator(async () => true);
  expect(validate(people, {}, PLACE)).toMatchObject({ items: [{ field: 'author.name', index: 2 }] });
  expect(validate(people, {}, { mode: 'create', origin: { prefix: '' } })).toMatchObject({
    items: [{ field: 'name' }],
  });
});

test.each([true, false])('waits for a pattern beyond the linear engine: %s', async (matches) => {
  const { validate } = createValidator(async () => matches);
  const checked = validate(people, { name: 'A', code: 'a' }, PLACE);
  expect(checked).toBeInstanceOf(Promise);
  expect((await checked).items.map(({ field }) => field)).toEqual(matches ? [] : ['author.code']);
});
