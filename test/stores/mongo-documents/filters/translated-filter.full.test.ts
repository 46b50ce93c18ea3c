import { BSONRegExp, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import {
  allOf,
  anyOf,
  hasValue,
  MATCH_ALL,
  MATCH_NONE,
  noneOf,
  UNTRANSLATABLE,
} from '../../../../src/stores/mongo-documents/filters/translated-filter.ts';

const translated = (query: object, exact = true) => ({ query, exact });

it('conjunctions drop empty conditions', () => {
  expect(allOf([])).toEqual(MATCH_ALL);
  expect(allOf([MATCH_ALL, translated({ a: 1 })])).toEqual(translated({ a: 1 }));
  expect(allOf([translated({ a: 1 }), translated({ b: 1 }), UNTRANSLATABLE])).toEqual(
    translated({ $and: [{ a: 1 }, { b: 1 }] }, false),
  );
});

it('a disjunction with an empty condition matches everything', () => {
  expect(anyOf([])).toEqual(MATCH_NONE);
  expect(anyOf([translated({ a: 1 }), UNTRANSLATABLE])).toEqual(UNTRANSLATABLE);
  expect(anyOf([translated({ a: 1 }), translated({ b: 1 }, false)])).toEqual(
    translated({ $or: [{ a: 1 }, { b: 1 }] }, false),
  );
});

it('only exact conditions are negated', () => {
  expect(noneOf([])).toEqual(MATCH_ALL);
  expect(noneOf([translated({ a: 1 }), translated({ b: 1 }, false)])).toEqual(
    translated({ $nor: [{ a: 1 }] }, false),
  );
  expect(noneOf([UNTRANSLATABLE])).toEqual(UNTRANSLATABLE);
});

it('an ObjectId is queried without an operator, any other value with one', () => {
  const id = new ObjectId();
  const pattern = new BSONRegExp('a', '');
  expect(hasValue('_id', [id]).query).toEqual({ _id: id });
  expect(hasValue('a', [pattern]).query).toEqual({ a: pattern });
  expect(hasValue('a', [{ $gt: 1 }]).query).toEqual({ a: { $eq: { $gt: 1 } } });
  expect(hasValue('a', [1, 2]).query).toEqual({ a: { $in: [1, 2] } });
  expect(Object.keys(hasValue('__proto__', [1]).query)).toEqual(['__proto__']);
});
