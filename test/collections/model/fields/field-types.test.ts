import { expect, test } from 'vitest';
import { FIELD_TYPES } from '../../../../src/collections/model/fields/field-types.ts';

test('no type takes a value that it would store in a form that it refuses', () => {
  const values = ['2024-01-01', '57A8B9C0D1E2F3A4B5C6D7E8', 'text', 1, true, ['a'], { a: 1 }, []];
  for (const rules of Object.values(FIELD_TYPES)) {
    for (const value of values.filter((entry) => rules.check(entry) === undefined)) {
      expect(rules.check(rules.normalise(value))).toBeUndefined();
    }
  }
});
