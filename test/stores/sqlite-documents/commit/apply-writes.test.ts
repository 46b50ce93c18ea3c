import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import {
  createWorkLimit,
  WorkLimitExceeded,
} from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { idOf, indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

const update = (n: number, fields: JsonObject, changed = Object.keys(fields)): Write => ({
  kind: 'update',
  ns: NS,
  id: idOf(n),
  v: 0,
  changed,
  document: { _id: idOf(n), ...fields },
});

describe('a commit', () => {
  const rowsOf = (bench: ReturnType<typeof openTestDatabase>, table: string) =>
    Number((bench.connection.statement(`select count(*) from ${table}`).get() as unknown as number[])[0]);

  it('updates documents, index rows and counters together', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }));
    bench.fill([{ a: ['x', 'X', 'y'] }, { a: 'z' }]);
    expect([rowsOf(bench, 'd_1'), rowsOf(bench, 'i_1')]).toEqual([2, 4]);
    applyWrites(
      bench,
      [update(1, { a: ['y', 'w'] }), { kind: 'remove', ns: NS, id: idOf(2), v: 0 }],
      NO_LIMIT,
    );
    expect([rowsOf(bench, 'd_1'), rowsOf(bench, 'i_1')]).toEqual([1, 2]);
    const text = JSON.stringify({ _id: idOf(1), a: ['y', 'w'] });
    expect(bench.catalogue.get(NS)).toMatchObject({ documents: 1, bytes: text.length, writes: 2 });
  });

  it('does not touch an index whose fields did not change', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a.b' }));
    bench.fill([{ a: { b: 1 }, c: 1 }]);
    bench.connection.db.exec('delete from i_1');
    applyWrites(bench, [update(1, { a: { b: 1 }, c: 2 }, ['c'])], NO_LIMIT);
    expect(rowsOf(bench, 'i_1')).toBe(0);
    applyWrites(bench, [update(1, { a: { b: 2 }, c: 2 }, ['a'])], NO_LIMIT);
    expect(rowsOf(bench, 'i_1')).toBe(1);
  });

  it('leaves no trace after an error, neither in the file nor in memory', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }]);
    expect(() => applyWrites(bench, [insertThing(2, {}), insertThing(1, {})], NO_LIMIT)).toThrow('duplicate');
    bench.catalogue.refresh();
    expect(bench.catalogue.get(NS)).toMatchObject({ documents: 1, writes: 1 });
    expect(bench.connection.db.isTransaction).toBe(false);
  });

  it('ends when its work limit is exceeded', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }));
    const a = Array.from({ length: 5000 }, (_, n) => n);
    let time = 0;
    const budget = createWorkLimit(10, 1e9, () => time++);
    expect(() => applyWrites(bench, [insertThing(1, { a })], budget)).toThrow(WorkLimitExceeded);
    bench.catalogue.refresh();
    expect(bench.catalogue.get(NS)?.documents).toBe(0);
  });
});
