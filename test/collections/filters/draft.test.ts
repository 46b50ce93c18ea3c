import { expect, test } from 'vitest';
import { isSettled, joinDrafts, type Through } from '../../../src/collections/filters/draft.ts';
import { EVERYTHING } from '../../../src/stores/filter.ts';
import { PEOPLE } from './sample.ts';

const through: Through = { kind: 'through', path: 'author', target: PEOPLE, draft: EVERYTHING };

test('settled drafts join to a filter, others wait', () => {
  expect(joinDrafts('and', [EVERYTHING])).toBe(EVERYTHING);
  expect(joinDrafts('and', [])).toEqual(EVERYTHING);
  expect(joinDrafts('nor', [EVERYTHING])).toEqual({ kind: 'nor', filters: [EVERYTHING] });
  const waiting = joinDrafts('or', [EVERYTHING, through]);
  expect(waiting).toEqual({ kind: 'group', group: 'or', drafts: [EVERYTHING, through] });
  expect([EVERYTHING, through, waiting].map(isSettled)).toEqual([true, false, false]);
});
