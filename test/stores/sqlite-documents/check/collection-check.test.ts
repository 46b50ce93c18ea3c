import { describe, expect, it } from 'vitest';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { checkAllIndexes, expectConsistentIndexes } from '../index-consistency.ts';
import {
  countEncodedRows,
  idOf,
  indexOf,
  insertThing,
  NO_LIMIT,
  NS,
  openTestDatabase,
} from '../test-database.ts';

function openFilled() {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'a' }));
  bench.index(indexOf({ path: 'b', direction: -1 }));
  bench.fill([{ a: 'Ä', b: 1 }, { a: ['x', 'Y', 'x'], b: 2 }, { a: [] }, { a: [[1], 'z'], b: null }]);
  return bench;
}

const faults = (bench: ReturnType<typeof openTestDatabase>) => [
  ...(checkAllIndexes(bench)[0]?.indexes.values() ?? []),
];
const NONE = { missing: 0, surplus: 0, wrong: 0, unmarked: 0 };

describe('the check of a collection', () => {
  it('finds no issue in rows written by commits', () => {
    const bench = openFilled();
    expectConsistentIndexes(bench);
    expect(checkAllIndexes(bench)).toMatchObject([{ documents: 4, damaged: 0 }]);
  });

  it('continues between commits and sees each of them whole', () => {
    const bench = openFilled();
    let n = 10;
    const [found] = checkAllIndexes(bench, () => {
      if (n > 30) return;
      const writes = [
        insertThing(n, { a: `k${n}`, b: n }),
        { kind: 'remove', ns: NS, id: idOf(n - 1), v: 0 } as const,
      ];
      applyWrites(bench, n === 10 ? writes.slice(0, 1) : writes, NO_LIMIT);
      n += 1;
    });
    expect([...(found?.indexes.values() ?? [])]).toEqual([NONE, NONE]);
  });

  it('distinguishes missing, surplus and wrong rows', () => {
    const bench = openFilled();
    const { db } = bench.connection;
    db.exec("delete from i_1 where doc = 1; insert into i_1 values (x'30ff', 2), (x'31', 77)");
    db.exec("update i_2 set key = cast(key || x'00' as blob) where doc in (1, 2)");
    expect(faults(bench)).toEqual([
      { ...NONE, missing: 1, surplus: 2 },
      { ...NONE, wrong: 2 },
    ]);
  });

  it('finds rows of other documents and rows that are not keys', () => {
    const bench = openFilled();
    const { db } = bench.connection;
    db.exec("update i_1 set doc = 2 where doc = 1; insert into i_2 values ('text', 1), (12, 1)");
    expect(faults(bench)).toEqual([
      { ...NONE, missing: 1, surplus: 1 },
      { ...NONE, surplus: 2 },
    ]);
  });

  it('finds arrays in keys that are not marked as multikey', () => {
    const bench = openFilled();
    bench.connection.db.exec('update indexes set multikey = 0');
    bench.catalogue.invalidate();
    expect(faults(bench)).toEqual([{ ...NONE, unmarked: 3 }, NONE]);
  });

  it('counts unreadable documents and does not judge their rows', () => {
    const bench = openFilled();
    bench.connection.db.exec(`update d_1 set json = substr(json, 2) where doc = 1`);
    bench.connection.db.exec(
      `update d_1 set json = 'null' where doc = 2; update d_1 set id = 'x' where doc = 3`,
    );
    expect(checkAllIndexes(bench)).toMatchObject([{ documents: 4, damaged: 3 }]);
    expect(faults(bench)).toEqual([NONE, NONE]);
  });

  it('skips indexes that are unfinished or dropped during the check', () => {
    const bench = openFilled();
    bench.connection.db.exec('delete from i_1; delete from i_2; update indexes set ready = 0 where n = 1');
    bench.catalogue.invalidate();
    let isDropped = false;
    const [found] = checkAllIndexes(bench, () => {
      if (isDropped) return;
      isDropped = true;
      const entry = bench.catalogue.get(NS)!;
      bench.catalogue.dropIndex(entry, entry.indexes.find(({ n }) => n === 2)!);
    });
    // The first document was looked at before the index was gone.
    expect([...(found?.indexes.values() ?? [])]).toEqual([NONE, { ...NONE, missing: 1 }]);
  });

  it('compares more long documents than it keeps in memory', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }));
    bench.fill(Array.from({ length: 15 }, (_, n) => ({ a: [n, n + 1], text: 'x'.repeat(200_000) })));
    expect(checkAllIndexes(bench)).toMatchObject([{ documents: 15, damaged: 0 }]);
    expectConsistentIndexes(bench);
    bench.connection.db.exec('delete from i_1 where doc = 9');
    expect(faults(bench)).toEqual([{ ...NONE, missing: 2 }]);
  });

  it('encodes the rows of a long array once, not once per row', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }));
    bench.fill([0, 1, 2].map((n) => ({ a: Array.from({ length: 2000 }, (_, at) => at * 3 + n) })));
    const counted = countEncodedRows(bench);
    expect(checkAllIndexes(counted.writer)).toMatchObject([{ documents: 3, damaged: 0 }]);
    expect(counted.made()).toBeLessThan(20);
  });
});
