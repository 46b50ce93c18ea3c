import { expect, it } from 'vitest';
import { compareWorkspaces, isInsidePath } from '../../src/transfer/workspace-changes.ts';

it('two sides of a workspace are compared by their texts', () => {
  const from = new Map([
    ['routes/new.json', '1'],
    ['routes/changed.json', '1'],
    ['hooks/same.js', '1'],
  ]);
  const to = new Map([
    ['routes/changed.json', '2'],
    ['hooks/same.js', '1'],
    ['hooks/surplus.js', '1'],
  ]);
  expect(compareWorkspaces(from, to)).toEqual({
    added: ['routes/new.json'],
    changed: ['routes/changed.json'],
    surplus: ['hooks/surplus.js'],
    equal: ['hooks/same.js'],
  });
});

it.each([
  ['routes/a.json', true],
  ['collections/1.0/library/collection.b.json', true],
  ['routes/../a.json', false],
  ['routes/./a.json', false],
  ['routes//a.json', false],
  ['routes/a\\b.json', false],
  ['routes/a\0.json', false],
])('the path %j is inside a folder: %s', (path, isInside) => {
  expect(isInsidePath(path)).toBe(isInside);
});
