import { expect, test } from 'vitest';
import { collectionScope, elementScope, isValidPath } from '../../../src/collections/filters/scope.ts';
import { BOOKS } from './sample.ts';

const scope = collectionScope(BOOKS);

test.each(['a', 'a.b', 'a.0.b', 'ü.😀', ' '])('%j is a path', (path) => {
  expect(isValidPath(path)).toBe(true);
});

test.each(['', '.', 'a.', '.a', 'a..b', '$a', 'a.$b', '__proto__', 'a.__proto__.b', `a${'.a'.repeat(100)}`])(
  '%j is no path',
  (path) => {
    expect(isValidPath(path)).toBe(false);
  },
);

test('knows fields, internals, and what lies inside', () => {
  expect(scope('title')).toMatchObject({ kind: 'own', rules: { fold: true } });
  expect(scope('createdAt')).toMatchObject({ kind: 'own', rules: { fold: false } });
  expect(scope('notes.x')).toMatchObject({ kind: 'own', rules: { fold: false } });
  expect(scope('author.name.x')).toMatchObject({ kind: 'through', rest: 'name.x' });
  expect(scope('pages.x')).toBeUndefined();
  expect(scope('history.0')).toBeUndefined();
  expect(scope('hasOwnProperty')).toBeUndefined();
});

test('an element has any path', () => {
  expect(elementScope('x.y')).toMatchObject({ kind: 'own', rules: { fold: false } });
  expect(elementScope('x..y')).toBeUndefined();
});
