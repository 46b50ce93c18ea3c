import { expect, it } from 'vitest';
import type { KnownIndex } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { isServerPath, serverSort } from '../../../../src/stores/mongo-documents/query/sort.ts';
import type { Sort } from '../../../../src/stores/ports.ts';
import { index } from '../../../contracts/store-cases.ts';

const known = (isUnique: boolean, ...paths: string[]): KnownIndex => ({
  definition: index('i', Object.fromEntries(paths.map((path) => [path, 1 as const])), { unique: true }),
  name: 'i',
  endsInId: false,
  isUnique,
  hasReadyShadow: false,
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
