import { expect, test } from 'vitest';
import {
  areResolved,
  isResolved,
  joinParsedFilters,
  type ReferenceCondition,
} from '../../../src/collections/filters/parsed-filter.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { BOOKS, PEOPLE } from './sample.ts';

const through: ReferenceCondition = {
  kind: 'through',
  source: BOOKS,
  path: 'author',
  target: PEOPLE,
  filter: MATCH_ALL,
  matchesMissing: false,
  elementsOnly: false,
};

test('settled drafts join to a filter, others wait', () => {
  expect(joinParsedFilters('and', [MATCH_ALL])).toBe(MATCH_ALL);
  expect(joinParsedFilters('and', [])).toEqual(MATCH_ALL);
  expect(joinParsedFilters('nor', [MATCH_ALL])).toEqual({ kind: 'nor', filters: [MATCH_ALL] });
  const waiting = joinParsedFilters('or', [MATCH_ALL, through]);
  expect(waiting).toEqual({ kind: 'group', group: 'or', drafts: [MATCH_ALL, through] });
  expect([MATCH_ALL, through, waiting].map(isResolved)).toEqual([true, false, false]);
});

test('tests are settled when no element of theirs is looked up', () => {
  expect(areResolved([{ kind: 'not', tests: [{ kind: 'size', value: 1 }] }])).toBe(true);
  expect(areResolved([{ kind: 'refers', through }])).toBe(false);
  expect(
    areResolved([
      { kind: 'size', value: 1 },
      { kind: 'not', tests: [{ kind: 'refers', through }] },
    ]),
  ).toBe(false);
});
