import { expect, test } from 'vitest';
import {
  checkId,
  lowerCaseIds,
  objectIdField,
  referenceField,
} from '../../../../src/collections/model/fields/object-id.ts';

const ID = '57a8b9c0d1e2f3a4b5c6d7e8';

test('an ObjectID field accepts an id and a list of ids', () => {
  expect(objectIdField.check(ID)).toBeUndefined();
  expect(objectIdField.check([ID, ID.toUpperCase()])).toBeUndefined();
});

test.each([
  ['short', 'is not a valid ObjectID'],
  ['twelve chars', 'is not a valid ObjectID'],
  [[ID, 'short'], 'short is not a valid ObjectID'],
  [5, 'is wrong type'],
  [{}, 'is wrong type'],
  [[ID, null], 'is wrong type'],
])('an ObjectID field rejects %j', (value, message) => {
  expect(objectIdField.check(value)?.message).toBe(message);
});

test('the error of an ObjectID field shows no more than the beginning of a long value', () => {
  expect(checkId('x'.repeat(5000), true)?.message).toBe(`${'x'.repeat(100)} is not a valid ObjectID`);
  expect(checkId(`${'x'.repeat(99)}\u{1F600}`, true)?.message.isWellFormed()).toBe(true);
});

test('an ObjectID field stores and compares in lower case', () => {
  expect(objectIdField.normalise(ID.toUpperCase())).toBe(ID);
  expect(objectIdField.readOperand(ID.toUpperCase())).toEqual(ID);
  expect(objectIdField.readOperand([ID.toUpperCase(), null])).toEqual([ID, null]);
  for (const operand of ['ABC', '', 5, [ID, 'ABC'], { _id: ID }]) {
    expect(objectIdField.readOperand(operand)).toBeUndefined();
  }
  expect(lowerCaseIds({ A: 1 })).toEqual({ A: 1 });
});

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
