import { describe, expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { IndexDefinition, Sort } from '../../../../src/stores/ports.ts';
import {
  type Access,
  MAX_SORTED_DOCUMENTS,
  type Plan,
  planQuery,
} from '../../../../src/stores/sqlite-documents/query/plan.ts';
import { idOf, indexOf } from '../test-database.ts';

const field = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });
const all = (...filters: Filter[]): Filter => ({ kind: 'and', filters });
const eq = (path: string, value: string | number) => field(path, { kind: 'eq', value });

/** Each index is said to hold as many entries for the filter as its name is given in `sizes`. */
function plan(
  filter: Filter,
  sort: Sort,
  definitions: IndexDefinition[] = [],
  sizes: Record<string, number> = {},
): Plan {
  const indexes = definitions.map((definition, at) => ({
    n: at + 1,
    name: definition.name,
    definition,
    caseInsensitive: definition.keys.some((key) => key.fold),
    ready: definition.name !== 'unready',
    watermark: 0,
    multikey: 0,
  }));
  return planQuery(filter, sort, {
    indexes,
    estimate: ({ index }) => Math.min(MAX_SORTED_DOCUMENTS, sizes[index.name] ?? 10),
  });
}

const nameOf = (access: Access) => (access.kind === 'index' ? access.index.name : access.kind);

describe('a plan', () => {
  it('prefers a lookup by ids', () => {
    const ids: Filter = field('_id', { kind: 'in', values: [idOf(2), 7, idOf(1), idOf(2)] });
    expect(plan(ids, [])).toEqual({
      access: { kind: 'ids', ids: [idOf(1), idOf(2)] },
      exact: true,
      sorted: true,
    });
    expect(plan(ids, [['_id', -1]]).access).toEqual({ kind: 'ids', ids: [idOf(2), idOf(1)] });
    expect(plan(all(ids, eq('a', 1)), [['a', 1]], [indexOf({ path: 'a' })])).toMatchObject({
      access: { kind: 'ids' },
      exact: false,
      sorted: false,
    });
  });

  it('scans ids in a range if the order is that of ids', () => {
    expect(plan(MATCH_ALL, [])).toMatchObject({
      access: { kind: 'id-scan', reversed: false, low: '' },
      exact: true,
      sorted: true,
    });
    expect(plan(eq('a', 1), [['_id', -1]])).toMatchObject({
      access: { kind: 'id-scan', reversed: true },
      exact: false,
    });
    const range = field('_id', { kind: 'gt', value: 'a' }, { kind: 'lte', value: 'c' });
    expect(plan(range, [])).toMatchObject({
      access: { kind: 'id-scan', low: 'a\0', high: 'c\0' },
      exact: true,
    });
    expect(plan(range, [['x', 1]])).toMatchObject({
      access: { kind: 'id-scan', low: 'a\0' },
      exact: true,
      sorted: false,
    });
  });

  it('scans everything else', () => {
    expect(plan(eq('a', 1), [['b', 1]])).toEqual({ access: { kind: 'scan' }, exact: false, sorted: false });
    expect(plan(MATCH_ALL, [['b', 1]])).toMatchObject({ access: { kind: 'scan' }, exact: true });
  });

  it('ignores indexes that are unfinished or of no use', () => {
    expect(nameOf(plan(eq('a', 1), [], [{ ...indexOf({ path: 'a' }), name: 'unready' }]).access)).toBe(
      'id-scan',
    );
    expect(nameOf(plan(eq('a', 1), [], [indexOf({ path: 'b' })]).access)).toBe('id-scan');
    expect(nameOf(plan(field('a', { kind: 'ne', value: 1 }), [], [indexOf({ path: 'a' })]).access)).toBe(
      'id-scan',
    );
  });

  it('chooses the index that reads fewest rows', () => {
    const both = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    const filter = all(eq('a', 1), eq('b', 1));
    expect(nameOf(plan(filter, [['c', 1]], both, { a: 500, b: 5 }).access)).toBe('b');
    expect(nameOf(plan(filter, [['c', 1]], both, { a: 5, b: 500 }).access)).toBe('a');
  });

  it('prefers a compound index in the requested order', () => {
    const indexes = [indexOf({ path: 'a' }), indexOf({ path: 'a' }, { path: 'b' })];
    const found = plan(eq('a', 1), [['b', -1]], indexes, { a: 900, a_b: 900 });
    expect(found).toMatchObject({ exact: true, sorted: true, access: { reversed: true } });
    expect(nameOf(found.access)).toBe('a_b');
  });

  it('tries an ordered index first if many documents would have to be sorted', () => {
    const indexes = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    const found = plan(eq('a', 1), [['b', 1]], indexes, { a: 1e6 });
    expect(nameOf(found.access)).toBe('b');
    expect(found.fallback && nameOf(found.fallback.access)).toBe('a');
    expect(nameOf(plan(eq('a', 1), [['b', 1]], indexes, { a: 100 }).access)).toBe('a');
  });

  it('falls back to a scan if it reads an index only for its order', () => {
    const found = plan(eq('x', 1), [['b', 1]], [indexOf({ path: 'b' })]);
    expect(found).toMatchObject({ sorted: true, exact: false, fallback: { access: { kind: 'scan' } } });
  });

  it('serves an or as a union if all branches are indexed', () => {
    const either: Filter = { kind: 'or', filters: [eq('a', 1), all(eq('b', 2), eq('c', 3))] };
    const both = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    expect(plan(all(either, eq('z', 1)), [], both)).toMatchObject({
      access: { kind: 'union', branches: [{}, {}] },
      exact: false,
    });
    expect(plan(either, [], both.slice(1)).access.kind).toBe('id-scan');
  });
});
