import { expect, test } from 'vitest';
import { referenceField } from '../../../../src/collections/model/fields/object-id.ts';

const ID = '57a8b9c0d1e2f3a4b5c6d7e8';

test.each([[ID], [[ID]], [[]], [[ID, null]]])('a Reference field accepts %j', (value) => {
  expect(referenceField.check(value)).toBeUndefined();
});

test.each([
  ['nobody', 'is not a valid ObjectID'],
  [[ID, 'nobody'], 'nobody is not a valid ObjectID'],
  [5, 'is wrong type'],
  [{ name: 'x' }, 'is wrong type'],
  [[ID, { _id: ID }], 'is wrong type'],
  [[[ID]], 'is wrong type'],
])('a Reference field rejects %j', (value, message) => {
  expect(referenceField.check(value)?.message).toBe(message);
});

test('ids are stored and compared in lower case', () => {
  expect(referenceField.normalise([ID.toUpperCase(), { a: 'B' }])).toEqual([ID, { a: 'B' }]);
  expect(referenceField.readOperand(ID.toUpperCase())).toBe(ID);
});
