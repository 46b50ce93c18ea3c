import { expect, test } from 'vitest';
import { areSettled, isSettled, joinDrafts, type Through } from '../../../src/collections/filters/draft.ts';
import { EVERYTHING } from '../../../src/stores/filter.ts';
import { BOOKS, PEOPLE } from './sample.ts';

const through: Through = {
  kind: 'through',
  source: BOOKS,
  path: 'author',
  target: PEOPLE,
  draft: EVERYTHING,
  missing: false,
  inList: false,
};

test('settled drafts join to a filter, others wait', () => {
  expect(joinDrafts('and', [EVERYTHING])).toBe(EVERYTHING);
  expect(joinDrafts('and', [])).toEqual(EVERYTHING);
  expect(joinDrafts('nor', [EVERYTHING])).toEqual({ kind: 'nor', filters: [EVERYTHING] });
  const waiting = joinDrafts('or', [EVERYTHING, through]);
  expect(waiting).toEqual({ kind: 'group', group: 'or', drafts: [EVERYTHING, through] });
  expect([EVERYTHING, through, waiting].map(isSettled)).toEqual([true, false, false]);
});

test('tests are settled when no element of theirs is looked up', () => {
  expect(areSettled([{ kind: 'not', tests: [{ kind: 'size', value: 1 }] }])).toBe(true);
  expect(areSettled([{ kind: 'refers', through }])).toBe(false);
  expect(
    areSettled([
      { kind: 'size', value: 1 },
      { kind: 'not', tests: [{ kind: 'refers', through }] },
    ]),
  ).toBe(false);
});
