import { expect, test } from 'vitest';
import { didYouMean, findNearestName } from '../../src/lib/nearest-name.ts';

const KNOWN = [
  'host',
  'port',
  'type',
  'required',
  'validation',
  'minLength',
  'storeRevisions',
  'index',
  'sort',
  'sortOrder',
];

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
  ['prot', 'port'],
])('%s is taken for %s', (name, meant) => {
  expect(findNearestName(name, KNOWN)).toBe(meant);
});

test.each([['type'], ['style'], ['label'], ['comments'], ['publish'], ['placement'], ['odd'], ['']])(
  '%j is what it is',
  (name) => {
    expect(findNearestName(name, KNOWN)).toBeUndefined();
  },
);

test('the nearest of several names is taken, the first of equally near ones', () => {
  expect(findNearestName('sortOrdr', ['sortOrders', 'sortOrder'])).toBe('sortOrder');
  expect(findNearestName('titles', ['titled', 'titlez'])).toBe('titled');
});

test('a name that is no slip of another is not compared, and nothing is asked', () => {
  expect(findNearestName('x'.repeat(101), [`${'x'.repeat(100)}y`])).toBeUndefined();
  expect(didYouMean('zzz', KNOWN)).toBe('');
  expect(didYouMean('tpye', KNOWN)).toBe(': did you mean `type`?');
});
