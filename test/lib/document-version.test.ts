import { expect, test } from 'vitest';
import { documentVersion } from '../../src/lib/document-version.ts';

test('the version of a document is its `v`, or 0 if that is not a number', () => {
  expect(documentVersion({ v: 3 })).toBe(3);
  expect([{}, { v: null }, { v: '3' }, { v: [3] }].map(documentVersion)).toEqual([0, 0, 0, 0]);
});
