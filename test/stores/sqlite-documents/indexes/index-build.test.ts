import { describe, expect, it } from 'vitest';
import type { IndexDefinition } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import {
  buildSlice,
  dropIndex,
  findIndex,
} from '../../../../src/stores/sqlite-documents/indexes/index-build.ts';
import {
  idOf,
  indexOf,
  insertThing,
  NO_LIMIT,
  NS,
  openTestDatabase,
  type TestDatabase,
} from '../test-database.ts';

function unfinished(bench: TestDatabase, definition: IndexDefinition): number {
  bench.catalogue.refresh();
  return bench.catalogue.addIndex(bench.catalogue.ensure(NS), definition, false).n;
}

const rows = (bench: TestDatabase, n: number) =>
  Number((bench.connection.statement(`select count(*) from i_${n}`).get() as unknown as number[])[0]);

describe('building an index', () => {
  it('runs in slices, stores its progress and lets writes through', () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 20 }, (_, n) => ({ n })));
    const n = unfinished(bench, indexOf({ path: 'n' }));
    expect(buildSlice(bench, { index: n, ms: -1 })).toBe('building');
    expect(rows(bench, n)).toBe(1);
    applyWrites(bench, [insertThing(50, { n: 50 }), { kind: 'remove', ns: NS, id: idOf(1), v: 0 }], NO_LIMIT);
    applyWrites(bench, [{ kind: 'remove', ns: NS, id: idOf(20), v: 0 }], NO_LIMIT);
    bench.catalogue.invalidate();
    expect(buildSlice(bench, { index: n, ms: 1000 })).toBe('ready');
    expect(rows(bench, n)).toBe(19);
    expect(buildSlice(bench, { index: n, ms: 1000 })).toBe('ready');
  });

  it('fails on a duplicate in a unique index', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }, { a: 2 }, { a: [3, 1] }]);
    const n = unfinished(bench, { ...indexOf({ path: 'a' }), unique: true });
    expect(() => buildSlice(bench, { index: n, ms: 1000 })).toThrow('duplicate');
    expect(rows(bench, n)).toBe(0);
  });

  it('ends when the index is dropped', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }]);
    const n = unfinished(bench, indexOf({ path: 'a' }));
    expect(findIndex(bench, n)?.index.name).toBe('a');
    dropIndex(bench, n);
    dropIndex(bench, n);
    expect(findIndex(bench, n)).toBeUndefined();
    expect(buildSlice(bench, { index: n, ms: 1000 })).toBe('gone');
  });
});
