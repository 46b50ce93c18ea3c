import { expect, test } from 'vitest';
import { documentVersion } from '../../src/lib/document-version.ts';

test('is what `v` says, and 0 where it says no number', () => {
  expect(documentVersion({ v: 3 })).toBe(3);
  expect([{}, { v: null }, { v: '3' }, { v: [3] }].map(documentVersion)).toEqual([0, 0, 0, 0]);
});
