import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { flattenConjunction } from '../../../../src/stores/sqlite-documents/query/conjunction.ts';

it('joins the tests of a path through nested ands and leaves the rest', () => {
  const field = (path: string, value: number): Filter => ({
    kind: 'field',
    path,
    tests: [{ kind: 'gt', value }],
  });
  const either: Filter = { kind: 'or', filters: [field('a', 9)] };
  const filter: Filter = {
    kind: 'and',
    filters: [field('a', 1), { kind: 'and', filters: [field('a', 2), either] }, field('b', 3)],
  };
  const { tests, others } = flattenConjunction(filter);
  expect([...tests.keys()]).toEqual(['a', 'b']);
  expect(tests.get('a')).toHaveLength(2);
  expect(others).toEqual([either]);
});
