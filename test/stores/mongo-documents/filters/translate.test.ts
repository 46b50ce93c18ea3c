import { BSONRegExp, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { where } from '../../../contracts/store-cases.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const say = (filter: Filter) => translateFilter(filter, { collated: false });

describe('filters in the words of the server', () => {
  it('ask for one id on the shortest way, and for everything with nothing', () => {
    expect(say(where('_id', { kind: 'eq', value: ID }))).toEqual({
      query: { _id: new ObjectId(ID) },
      exact: true,
    });
    expect(say(MATCH_ALL)).toEqual({ query: {}, exact: true });
  });

  it('keep their structure', () => {
    const filter: Filter = {
      kind: 'or',
      filters: [
        where('a', { kind: 'gt', value: 1 }, { kind: 'exists', value: true }),
        where('b', { kind: 'ne', value: 2 }),
      ],
    };
    expect(say(filter).query).toEqual({
      $or: [{ $and: [{ a: { $gt: 1 } }, { a: { $exists: true } }] }, { $nor: [{ b: { $eq: 2 } }] }],
    });
  });

  it.each(['$a', 'a\0b', '', 'a.', 'a..b'])('leave the path %j to us', (path) => {
    expect(say(where(path, { kind: 'eq', value: 1 }))).toEqual({ query: {}, exact: false });
  });

  it('leave patterns about ids to us', () => {
    expect(say(where('_id', { kind: 'regex', pattern: 'a', flags: '' })).exact).toBe(false);
  });

  it.each<FilterTest>([
    { kind: 'all', values: [] },
    { kind: 'size', value: -1 },
    { kind: 'type', names: [] },
    { kind: 'in', values: [] },
    { kind: 'elemMatchValue', tests: [{ kind: 'in', values: [] }] },
  ])('know that nothing passes %j', (test) => {
    expect(say(where('a', test))).toEqual({ query: { _id: { $in: [] } }, exact: true });
  });

  it('go on from an element as from a document, where an id is no ObjectId only', () => {
    const filter = where('a', { kind: 'elemMatch', filter: where('_id', { kind: 'eq', value: ID }) });
    expect(say(filter).query).toEqual({
      a: { $elemMatch: { $and: [{ _id: { $in: [ID, new ObjectId(ID)] } }] } },
    });
  });

  it('say text by patterns under a collation', () => {
    const filter = where('a', { kind: 'eq', value: '1-2', fold: true });
    expect(say(filter).query).toEqual({ a: { $eq: '1-2' } });
    expect(translateFilter(filter, { collated: true }).query).toEqual({
      a: new BSONRegExp('\\A1\\-2\\z', ''),
    });
  });

  it('have no exact negation of what is not exact', () => {
    const filter: Filter = {
      kind: 'nor',
      filters: [where('a', { kind: 'regex', pattern: 'a+b', flags: '' })],
    };
    expect(say(filter)).toEqual({ query: {}, exact: false });
  });
});
