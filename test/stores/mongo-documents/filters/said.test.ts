import { BSONRegExp, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import {
  ALL,
  allOf,
  anyOf,
  holds,
  NONE,
  noneOf,
  UNSAID,
} from '../../../../src/stores/mongo-documents/filters/said.ts';

const said = (query: object, exact = true) => ({ query, exact });

it('joins conditions and drops those that say nothing', () => {
  expect(allOf([])).toEqual(ALL);
  expect(allOf([ALL, said({ a: 1 })])).toEqual(said({ a: 1 }));
  expect(allOf([said({ a: 1 }), said({ b: 1 }), UNSAID])).toEqual(
    said({ $and: [{ a: 1 }, { b: 1 }] }, false),
  );
});

it('takes any of what may match anything for anything', () => {
  expect(anyOf([])).toEqual(NONE);
  expect(anyOf([said({ a: 1 }), UNSAID])).toEqual(UNSAID);
  expect(anyOf([said({ a: 1 }), said({ b: 1 }, false)])).toEqual(said({ $or: [{ a: 1 }, { b: 1 }] }, false));
});

it('negates only what was said exactly', () => {
  expect(noneOf([])).toEqual(ALL);
  expect(noneOf([said({ a: 1 }), said({ b: 1 }, false)])).toEqual(said({ $nor: [{ a: 1 }] }, false));
  expect(noneOf([UNSAID])).toEqual(UNSAID);
});

it('asks for an id without an operator, and for anything else with one', () => {
  const id = new ObjectId();
  const pattern = new BSONRegExp('a', '');
  expect(holds('_id', [id]).query).toEqual({ _id: id });
  expect(holds('a', [pattern]).query).toEqual({ a: pattern });
  expect(holds('a', [{ $gt: 1 }]).query).toEqual({ a: { $eq: { $gt: 1 } } });
  expect(holds('a', [1, 2]).query).toEqual({ a: { $in: [1, 2] } });
  expect(Object.keys(holds('__proto__', [1]).query)).toEqual(['__proto__']);
});
