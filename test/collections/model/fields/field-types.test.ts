import { expect, test } from 'vitest';
import { FIELD_TYPES } from '../../../../src/collections/model/fields/field-types.ts';
import { sourceFiles } from '../../../helpers/fixtures/source-tree.ts';

test('a value that a field type accepts is still valid in the form in which it is stored', () => {
  const values = ['2024-01-01', '57A8B9C0D1E2F3A4B5C6D7E8', 'text', 1, true, ['a'], { a: 1 }, []];
  for (const rules of Object.values(FIELD_TYPES)) {
    for (const value of values.filter((entry) => rules.check(entry) === undefined)) {
      expect(rules.check(rules.normalise(value))).toBeUndefined();
    }
  }
});

const NAMES = Object.keys(FIELD_TYPES).join('|');
const COMPARES_NAME = new RegExp(
  `(?:[=!]==? *|case |includes\\(|has\\()'(?:${NAMES})'|'(?:${NAMES})' *[=!]==?`,
);

test('no code outside the table compares the name of a field type, so that a new type needs one file and one row', () => {
  const own = 'src/collections/model/fields/';
  const found = sourceFiles('src').filter(
    ({ path, text }) => !path.startsWith(own) && COMPARES_NAME.test(text),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
});

test.each(["field.type === 'Reference'", "type !== 'Mixed'", "case 'Number':", "'Object' === type"])(
  'the search for names of field types finds %j',
  (text) => {
    expect(text).toMatch(COMPARES_NAME);
  },
);
