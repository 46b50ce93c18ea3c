import { describe, expect, it } from 'vitest';
import { compareNamespaces, findNamespaceIssue, formatNamespace } from '../../src/transfer/namespaces.ts';

const space = (collection: string, database: string | null = null) => ({ database, collection });

describe('the check of a namespace', () => {
  it('takes what the setting reaches', () => {
    expect(findNamespaceIssue(space('books'), false)).toBeUndefined();
    expect(findNamespaceIssue(space('books', 'library'), true)).toBeUndefined();
  });

  it('names the setting that does not fit', () => {
    expect(findNamespaceIssue(space('books'), true)).toBe(
      'it has no database, but `database.enableCollectionDatabases` is on',
    );
    expect(findNamespaceIssue(space('books', 'library'), false)).toBe(
      'it has a database, but `database.enableCollectionDatabases` is off',
    );
  });

  it.each([
    space('cloister.clients'),
    space('Cloister.secrets'),
    space('system.views'),
    space('cloister.clients', 'library'),
    space(''),
    space('a b'),
    space('../x'),
    space('a\0b'),
    space('x'.repeat(300)),
    space('books', 'admin'),
    space('books', 'a.b'),
    space('books', ''),
    space('books', '$x'),
  ])('refuses %j whatever is set', (ns) => {
    for (const separate of [true, false])
      expect(findNamespaceIssue(ns, separate)).toMatch(/^the name of the /);
  });
});

it('namespaces are sorted without database first, then by their names', () => {
  const sorted = [space('b', 'x'), space('a', 'y'), space('b'), space('a', 'x'), space('B'), space('b')];
  expect(sorted.toSorted(compareNamespaces).map(formatNamespace)).toEqual([
    'B',
    'b',
    'b',
    'x/a',
    'x/b',
    'y/a',
  ]);
});
