import { expect, test } from 'vitest';
import { versionOf } from '../../src/lib/document-version.ts';

test('is what `v` says, and 0 where it says no number', () => {
  expect(versionOf({ v: 3 })).toBe(3);
  expect([{}, { v: null }, { v: '3' }, { v: [3] }].map(versionOf)).toEqual([0, 0, 0, 0]);
});
