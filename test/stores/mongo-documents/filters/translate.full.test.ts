import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { where } from '../../../contracts/store-cases.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const say = (filter: Filter) => translateFilter(filter);

describe('translateFilter', () => {
  it('translates a single id to the fastest form, and everything to an empty query', () => {
    expect(say(where('_id', { kind: 'eq', value: ID }))).toEqual({
      query: { _id: new ObjectId(ID) },
      exact: true,
    });
    expect(say(MATCH_ALL)).toEqual({ query: {}, exact: true });
  });

  it('keeps the structure of a filter', () => {
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

  it.each(['$a', 'a\0b', '', 'a.', 'a..b'])('does not translate the path %j', (path) => {
    expect(say(where(path, { kind: 'eq', value: 1 }))).toEqual({ query: {}, exact: false });
  });

  it('does not translate patterns on _id', () => {
    expect(say(where('_id', { kind: 'regex', pattern: 'a', flags: '' })).exact).toBe(false);
  });

  it.each<FilterTest>([
    { kind: 'all', values: [] },
    { kind: 'size', value: -1 },
    { kind: 'type', names: [] },
    { kind: 'in', values: [] },
    { kind: 'size', value: 2 ** 31 },
  ])('knows that nothing matches %j', (test) => {
    expect(say(where('a', test))).toEqual({ query: { _id: { $in: [] } }, exact: true });
  });

  it('translates filters on elements, where ids may be text', () => {
    const filter = where('a', { kind: 'elemMatch', filter: where('_id', { kind: 'eq', value: ID }) });
    expect(say(filter).query).toEqual({
      a: { $elemMatch: { $and: [{ _id: { $in: [ID, new ObjectId(ID)] } }] } },
    });
  });

  it('asks for lists whose elements pass each test on elements', () => {
    const kinds: FilterTest[] = [
      { kind: 'gte', value: 1 },
      { kind: 'not', tests: [{ kind: 'exists', value: true }] },
      { kind: 'ne', value: 3 },
    ];
    expect(say(where('a', { kind: 'elemMatchValue', tests: kinds }))).toEqual({
      query: { $and: [{ a: { $gte: 1 } }, { a: { $elemMatch: { $exists: true } } }] },
      exact: false,
    });
  });

  it('translates text without case to itself', () => {
    const filter = where('a', { kind: 'eq', value: '1-2', caseInsensitive: true });
    expect(say(filter).query).toEqual({ a: { $eq: '1-2' } });
  });

  it('does not negate an inexact translation', () => {
    const filter: Filter = {
      kind: 'nor',
      filters: [where('a', { kind: 'regex', pattern: 'a+b', flags: '' })],
    };
    expect(say(filter)).toEqual({ query: {}, exact: false });
  });
});
