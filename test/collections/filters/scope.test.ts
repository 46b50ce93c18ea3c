import { expect, test } from 'vitest';
import { collectionScope, elementScope, isValidPath } from '../../../src/collections/filters/scope.ts';
import { BOOKS } from './sample.ts';

const scope = collectionScope(BOOKS);

test.each(['a', 'a.b', 'a.0.b', 'ü.😀', ' '])('%j is a valid path', (path) => {
  expect(isValidPath(path)).toBe(true);
});

test.each(['', '.', 'a.', '.a', 'a..b', '$a', 'a.$b', '__proto__', 'a.__proto__.b', `a${'.a'.repeat(100)}`])(
  '%j is not a valid path',
  (path) => {
    expect(isValidPath(path)).toBe(false);
  },
);

test('a collection has the paths of its fields, internal fields, nested values and references', () => {
  expect(scope('title')).toMatchObject({ kind: 'field', rules: { caseInsensitive: true } });
  expect(scope('createdAt')).toMatchObject({ kind: 'field', rules: { caseInsensitive: false } });
  expect(scope('notes.x')).toMatchObject({ kind: 'field', rules: { caseInsensitive: false } });
  expect(scope('author.name.x')).toMatchObject({ kind: 'reference', rest: 'name.x' });
  expect(scope('pages.x')).toBeUndefined();
  expect(scope('history.0')).toBeUndefined();
  expect(scope('hasOwnProperty')).toBeUndefined();
});

test('an array element has any valid path, compared exactly', () => {
  expect(elementScope('x.y')).toMatchObject({ kind: 'field', rules: { caseInsensitive: false } });
  expect(elementScope('x..y')).toBeUndefined();
});
