import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import {
  compares,
  hasOneOf,
  serverTypes,
} from '../../../../src/stores/mongo-documents/filters/value-conditions.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const plain = (path: string) => ({ path, context: { root: true } });

describe('lists of values', () => {
  it('query objects that look like operators outside of a list', () => {
    expect(hasOneOf(plain('a'), [1, { $b: 1 }]).query).toEqual({
      $or: [{ a: { $eq: 1 } }, { a: { $eq: { $b: 1 } } }],
    });
  });

  it('match nothing if no document can hold a value', () => {
    expect(hasOneOf(plain('a'), [{ 'x\0': 1 }])).toEqual({ query: { _id: { $in: [] } }, exact: true });
    expect(hasOneOf(plain('a'), [])).toEqual({ query: { _id: { $in: [] } }, exact: true });
  });
});

describe('comparisons', () => {
  it('of ids use an ObjectId as bound', () => {
    const id = new ObjectId(ID);
    expect(compares(plain('_id'), { kind: 'gt', value: ID }).query).toEqual({
      $or: [{ _id: { $gt: ID } }, { _id: { $gt: id } }],
    });
    expect(compares(plain('_id'), { kind: 'lte', value: `${ID}x` }).query['$or'][1]).toEqual({
      _id: { $lt: new ObjectId('65a1b2c3d4e5f60718293a4c') },
    });
    expect(compares(plain('_id'), { kind: 'lt', value: 'z' }).query['$or'][1]).toEqual({
      _id: { $type: 'objectId' },
    });
  });

  it('with a date include BSON dates', () => {
    const text = '2026-01-02T03:04:05.678Z';
    const { query } = compares(plain('a'), { kind: 'gte', value: text });
    expect(query).toEqual({ $or: [{ a: { $gte: text } }, { a: { $gte: new Date(text) } }] });
  });
});

it('types that are read as text count as strings', () => {
  expect(serverTypes(['string'])).toContain('objectId');
  expect(serverTypes(['null', 'bool'])).toEqual(['null', 'undefined', 'minKey', 'maxKey', 'bool']);
});
