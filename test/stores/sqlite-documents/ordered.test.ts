import { describe, expect, it } from 'vitest';
import { encodeValue, successor } from '../../../src/stores/sqlite-documents/keys.ts';
import { createBudget, OverBudget } from '../../../src/stores/sqlite-documents/meter.ts';
import {
  countRows,
  estimateRows,
  orderedTable,
  readPage,
} from '../../../src/stores/sqlite-documents/ordered.ts';
import { EVERY_KEY } from '../../../src/stores/sqlite-documents/plan-index.ts';
import type { Access, IndexAccess } from '../../../src/stores/sqlite-documents/plan-types.ts';
import { FREE, idOf, indexOf, NS, openWorkbench, type Workbench } from './workbench.ts';

const COUNT = 45_000;

function filled(): Workbench {
  const bench = openWorkbench();
  bench.index(indexOf({ path: 'n' }));
  bench.fill(Array.from({ length: COUNT }, (_, n) => ({ n: n + 1 })));
  return bench;
}

const between = (from: number, to: number) => ({ low: encodeValue(from), high: encodeValue(to) });

describe('ordered tables', { timeout: 60_000 }, () => {
  const bench = { current: undefined as unknown as Workbench };

  const page = (access: Access, skip: number, limit: number, meter = FREE) => {
    const { connection, catalogue } = bench.current;
    const entry = catalogue.get(NS)!;
    const table = orderedTable(entry, access)!;
    return readPage({ connection, entry, meter, keep: (text) => text }, table, { skip, limit }).map(
      (text) => JSON.parse(text).n as number,
    );
  };

  it('skip, read and count without looking at what they pass over', () => {
    bench.current = filled();
    const { connection, catalogue } = bench.current;
    const entry = catalogue.get(NS)!;
    const walk = { kind: 'walk', reversed: false, low: '', high: Buffer.from([0]) } as const;
    expect(page(walk, 44_990, 3)).toEqual([44_991, 44_992, 44_993]);
    expect(page({ ...walk, reversed: true }, 44_990, 3)).toEqual([10, 9, 8]);
    expect(page(walk, COUNT, 3)).toEqual([]);
    expect(page({ ...walk, low: idOf(40_000) }, 1, 2)).toEqual([40_001, 40_002]);

    const access: IndexAccess = {
      kind: 'index',
      index: entry.indexes[0]!,
      folded: false,
      intervals: [between(1, 3), between(100, 42_000), between(44_000, 44_002)],
      reversed: false,
      repeats: false,
    };
    expect(page(access, 0, 4)).toEqual([1, 2, 100, 101]);
    expect(page(access, 41_901, 9)).toEqual([41_999, 44_000, 44_001]);
    expect(page({ ...access, reversed: true }, 1, 3)).toEqual([44_000, 41_999, 41_998]);
    expect(page({ ...access, reversed: true }, 41_900, 9)).toEqual([101, 100, 2, 1]);

    const count = (of: Access) => countRows({ connection, entry, meter: FREE }, orderedTable(entry, of)!);
    expect(count(walk)).toBe(COUNT);
    expect(count(access)).toBe(2 + 41_900 + 2);
    expect(count({ ...access, intervals: [EVERY_KEY] })).toBe(COUNT);
    expect(count({ ...access, intervals: [] })).toBe(0);
    expect(estimateRows(connection, access, 1000)).toBe(1000);
    expect(estimateRows(connection, { ...access, intervals: [between(1, 4)] }, 1000)).toBe(3);
    const one = encodeValue(7);
    expect(page({ ...access, intervals: [{ low: one, high: successor(one) }] }, 0, 5)).toEqual([7]);

    const spent = createBudget(1, -1, () => 0);
    expect(() => page(walk, 44_990, 3, spent)).toThrow(OverBudget);
    expect(orderedTable(entry, { ...access, repeats: true })).toBeUndefined();
    expect(orderedTable(entry, { kind: 'scan' })).toBeUndefined();
  });

  it('are read by SQLite in the order of their own keys, without sorting', () => {
    const bench = openWorkbench();
    bench.index(indexOf({ path: 'n', direction: -1 }));
    bench.fill([{ n: 1 }]);
    const { connection, catalogue } = bench;
    const entry = catalogue.get(NS)!;
    const planOf = (access: Access) => {
      const { textSql, stretches } = orderedTable(entry, access)!;
      const { low, high } = stretches[0]!;
      const steps = connection.statement(`explain query plan ${textSql}`).all(low, high, 40);
      return (steps as unknown as unknown[][]).map((step) => step[3]);
    };
    const index: IndexAccess = {
      kind: 'index',
      index: entry.indexes[0]!,
      folded: false,
      intervals: [EVERY_KEY],
      reversed: true,
      repeats: false,
    };
    const steps = [
      'SEARCH i USING PRIMARY KEY (key>? AND key<?)',
      'SEARCH d USING INTEGER PRIMARY KEY (rowid=?)',
    ];
    expect(planOf(index)).toEqual(steps);
    expect(planOf({ ...index, reversed: false })).toEqual(steps);
    const walk = { kind: 'walk', reversed: true, low: '', high: Buffer.from([0]) } as const;
    expect(planOf(walk)).toEqual(['SEARCH d_1 USING INDEX sqlite_autoindex_d_1_1 (id>? AND id<?)']);
  });
});
