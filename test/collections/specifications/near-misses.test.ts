import { expect, test } from 'vitest';
import { findMeantName } from '../../../src/collections/specifications/near-misses.ts';

const KNOWN = ['type', 'required', 'validation', 'minLength', 'storeRevisions', 'index', 'sort', 'sortOrder'];

test.each([
  ['requierd', 'required'],
  ['require', 'required'],
  ['Required', 'required'],
  ['minLenght', 'minLength'],
  ['storeRevision', 'storeRevisions'],
  ['indexes', 'index'],
  ['sortorder', 'sortOrder'],
  ['tpye', 'type'],
  ['types', 'type'],
])('%s is taken for %s', (name, meant) => {
  expect(findMeantName(name, KNOWN)).toBe(meant);
});

test.each([['type'], ['style'], ['label'], ['comments'], ['publish'], ['placement'], ['odd'], ['']])(
  '%j is what it is',
  (name) => {
    expect(findMeantName(name, KNOWN)).toBeUndefined();
  },
);
