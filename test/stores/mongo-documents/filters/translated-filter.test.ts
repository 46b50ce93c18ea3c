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

const said = (query: object, exact = true) => ({ query, exact });

it('joins conditions and drops those that say nothing', () => {
  expect(allOf([])).toEqual(MATCH_ALL);
  expect(allOf([MATCH_ALL, said({ a: 1 })])).toEqual(said({ a: 1 }));
  expect(allOf([said({ a: 1 }), said({ b: 1 }), UNTRANSLATABLE])).toEqual(
    said({ $and: [{ a: 1 }, { b: 1 }] }, false),
  );
});

it('takes any of what may match anything for anything', () => {
  expect(anyOf([])).toEqual(MATCH_NONE);
  expect(anyOf([said({ a: 1 }), UNTRANSLATABLE])).toEqual(UNTRANSLATABLE);
  expect(anyOf([said({ a: 1 }), said({ b: 1 }, false)])).toEqual(said({ $or: [{ a: 1 }, { b: 1 }] }, false));
});

it('negates only what was said exactly', () => {
  expect(noneOf([])).toEqual(MATCH_ALL);
  expect(noneOf([said({ a: 1 }), said({ b: 1 }, false)])).toEqual(said({ $nor: [{ a: 1 }] }, false));
  expect(noneOf([UNTRANSLATABLE])).toEqual(UNTRANSLATABLE);
});

it('asks for an id without an operator, and for anything else with one', () => {
  const id = new ObjectId();
  const pattern = new BSONRegExp('a', '');
  expect(hasValue('_id', [id]).query).toEqual({ _id: id });
  expect(hasValue('a', [pattern]).query).toEqual({ a: pattern });
  expect(hasValue('a', [{ $gt: 1 }]).query).toEqual({ a: { $eq: { $gt: 1 } } });
  expect(hasValue('a', [1, 2]).query).toEqual({ a: { $in: [1, 2] } });
  expect(Object.keys(hasValue('__proto__', [1]).query)).toEqual(['__proto__']);
});
