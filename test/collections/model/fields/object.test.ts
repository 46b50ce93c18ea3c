import { expect, test } from 'vitest';
import { objectField } from '../../../../src/collections/model/fields/object.ts';

test('accepts objects and lists', () => {
  expect(objectField.check({ a: 1 })).toBeUndefined();
  expect(objectField.check([{ a: 1 }, 2])).toBeUndefined();
});

test.each([['a'], [1], [true]])('refuses %j', (value) => {
  expect(objectField.check(value)?.message).toBe('is wrong type');
});
