import { describe, expect, it } from 'vitest';
import { serverProjection } from '../../../../src/stores/mongo-documents/query/projection.ts';

const of = (...args: Parameters<typeof serverProjection>) => {
  const { fields, finish } = serverProjection(...args);
  return [fields, finish === undefined ? 'done' : 'to finish'];
};

describe('the projection of the server', () => {
  it('is the whole projection if its paths are plain', () => {
    expect(of(undefined)).toEqual([undefined, 'done']);
    expect(of({ include: ['a', 'b.c'] })).toEqual([{ _id: 1, a: 1, 'b.c': 1 }, 'done']);
    expect(of({ exclude: ['a', '_id'] })).toEqual([{ a: 0, _id: 0 }, 'done']);
    expect(of({ include: ['a'], exclude: ['_id'] })).toEqual([{ a: 1, _id: 0 }, 'done']);
    expect(of({ include: [] })).toEqual([{ _id: 1 }, 'done']);
  });

  it('contains no path nested in another', () => {
    expect(of({ include: ['a.b', 'a', 'a.b.c', 'ab'] })).toEqual([{ _id: 1, a: 1, ab: 1 }, 'done']);
    expect(of({ exclude: ['a.b', 'a'] })).toEqual([{ a: 0 }, 'done']);
  });

  it('is completed here if the server would reject it', () => {
    expect(of({ include: ['a'], exclude: ['a.b'] })).toEqual([{ _id: 1, a: 1 }, 'to finish']);
    expect(of({ include: [], exclude: ['_id'] })).toEqual([{ _id: 1 }, 'to finish']);
    expect(of({ include: ['a.$b', 'c'] })).toEqual([{ _id: 1, a: 1, c: 1 }, 'to finish']);
    expect(of({ include: ['$a'] })).toEqual([undefined, 'to finish']);
    expect(of({ exclude: ['a.', 'b'] })).toEqual([{ b: 0 }, 'to finish']);
    expect(of({ exclude: ['_id.a'] })).toEqual([undefined, 'to finish']);
  });

  it('includes fields that are needed here', () => {
    expect(of({ include: ['a'] }, ['b'])).toEqual([{ _id: 1, a: 1, b: 1 }, 'to finish']);
    expect(of({ exclude: ['a', 'b.c', '_id'] }, ['_id', 'b'])).toEqual([{ a: 0 }, 'to finish']);
  });

  it('accepts any name', () => {
    expect(Object.keys(serverProjection({ include: ['__proto__'] }).fields ?? {})).toEqual([
      '_id',
      '__proto__',
    ]);
  });
});
