import { expect, test } from 'vitest';
import { mixedField } from '../../../../src/collections/model/fields/plain-types.ts';

test.each([['a'], [1], [false], [{ a: [1] }], [[1, 'a', null]]])(
  'a Mixed field accepts %j and keeps it',
  (value) => {
    expect(mixedField.check(value)).toBeUndefined();
    expect(mixedField.normalise(value)).toBe(value);
    expect(mixedField.readOperand(value)).toBe(value);
  },
);
