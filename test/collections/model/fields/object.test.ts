import { expect, test } from 'vitest';
import { objectField } from '../../../../src/collections/model/fields/plain-types.ts';

test('an Object field accepts objects and lists', () => {
  expect(objectField.check({ a: 1 })).toBeUndefined();
  expect(objectField.check([{ a: 1 }, 2])).toBeUndefined();
});

test.each([['a'], [1], [true]])('an Object field rejects %j', (value) => {
  expect(objectField.check(value)?.message).toBe('is wrong type');
});
