import { describe, expect, it } from 'vitest';
import type { KnownIndex } from '../../../../src/stores/mongo-documents/connection/types.ts';
import {
  isServerPath,
  serverProjection,
  serverSort,
} from '../../../../src/stores/mongo-documents/query/sort-and-projection.ts';
import type { Sort } from '../../../../src/stores/ports.ts';
import { index } from '../../../contracts/store-cases.ts';

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

const known = (isUnique: boolean, ...paths: string[]): KnownIndex => ({
  definition: index('i', Object.fromEntries(paths.map((path) => [path, 1 as const])), { unique: true }),
  name: 'i',
  endsInId: false,
  isUnique,
});
const keys = (sort: Sort, indexes: readonly KnownIndex[] = []) => [
  ...(serverSort(sort, indexes) ?? ['none']),
];

it('a server sort ends in _id, in the direction of the last key', () => {
  expect(keys([])).toEqual([['_id', 1]]);
  expect(
    keys([
      ['a', 1],
      ['b', -1],
    ]),
  ).toEqual([
    ['a', 1],
    ['b', -1],
    ['_id', -1],
  ]);
  expect(
    keys([
      ['a', 1],
      ['a', -1],
    ]),
  ).toEqual([
    ['a', 1],
    ['_id', -1],
  ]);
  expect(
    keys([
      ['_id', -1],
      ['a', 1],
    ]),
  ).toEqual([
    ['_id', -1],
    ['a', 1],
  ]);
});

it('a server sort by a unique index needs no _id', () => {
  expect(
    keys(
      [
        ['b', 1],
        ['a', -1],
      ],
      [known(true, 'a', 'b')],
    ),
  ).toEqual([
    ['b', 1],
    ['a', -1],
  ]);
  expect(keys([['a', 1]], [known(true, 'a', 'b')])).toHaveLength(2);
  expect(keys([['a', 1]], [known(false, 'a')])).toHaveLength(2);
});

it('a server sort keeps the order of numeric keys', () => {
  expect(
    keys([
      ['b', 1],
      ['1', 1],
    ]).map(([path]) => path),
  ).toEqual(['b', '1', '_id']);
});

it('a sort that the server would reject is undefined', () => {
  const many = Array.from({ length: 32 }, (_, n) => [`k${n}`, 1] as const);
  expect(serverSort(many, [])).toBeUndefined();
  expect(serverSort(many.slice(1), [])?.size).toBe(32);
  for (const path of ['', 'a.', 'a..b', '$a', 'a.$b', 'a\0', `${'a.'.repeat(100)}a`]) {
    expect(isServerPath(path)).toBe(false);
    expect(serverSort([[path, 1]], [])).toBeUndefined();
  }
});
