import { describe, expect, it } from 'vitest';
import {
  createWorkLimit,
  WorkLimitExceeded,
} from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { encodeValue, prefixSuccessor } from '../../../../src/stores/sqlite-documents/indexes/index-keys.ts';
import {
  type Access,
  FULL_RANGE,
  type IndexAccess,
} from '../../../../src/stores/sqlite-documents/query/index-access.ts';
import {
  countRows,
  estimateRows,
  orderedTableFor,
  readPage,
} from '../../../../src/stores/sqlite-documents/query/ordered-table.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase, type TestDatabase } from '../test-database.ts';

const COUNT = 45_000;

function filled(): TestDatabase {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'n' }));
  bench.fill(Array.from({ length: COUNT }, (_, n) => ({ n: n + 1 })));
  return bench;
}

const between = (from: number, to: number) => ({ low: encodeValue(from), high: encodeValue(to) });

describe('ordered tables', () => {
  const bench = { current: undefined as unknown as TestDatabase };

  const page = (access: Access, skip: number, limit: number, workLimit = NO_LIMIT) => {
    const { connection, catalogue } = bench.current;
    const entry = catalogue.get(NS)!;
    const table = orderedTableFor(entry, access)!;
    return readPage({ connection, entry, workLimit, project: (text) => text }, table, {
      skip,
      limit,
    }).map((text) => JSON.parse(text).n as number);
  };

  it('skip, read and count rows without fetching skipped ones', () => {
    bench.current = filled();
    const { connection, catalogue } = bench.current;
    const entry = catalogue.get(NS)!;
    const walk = { kind: 'id-scan', reversed: false, low: '', high: Buffer.from([0]) } as const;
    expect(page(walk, 44_990, 3)).toEqual([44_991, 44_992, 44_993]);
    expect(page({ ...walk, reversed: true }, 44_990, 3)).toEqual([10, 9, 8]);
    expect(page(walk, COUNT, 3)).toEqual([]);
    expect(page({ ...walk, low: idOf(40_000) }, 1, 2)).toEqual([40_001, 40_002]);

    const access: IndexAccess = {
      kind: 'index',
      index: entry.indexes[0]!,
      ranges: [between(1, 3), between(100, 42_000), between(44_000, 44_002)],
      reversed: false,
      mayRepeat: false,
    };
    expect(page(access, 0, 4)).toEqual([1, 2, 100, 101]);
    expect(page(access, 41_901, 9)).toEqual([41_999, 44_000, 44_001]);
    expect(page({ ...access, reversed: true }, 1, 3)).toEqual([44_000, 41_999, 41_998]);
    expect(page({ ...access, reversed: true }, 41_900, 9)).toEqual([101, 100, 2, 1]);

    const count = (of: Access) =>
      countRows({ connection, entry, workLimit: NO_LIMIT }, orderedTableFor(entry, of)!);
    expect(count(walk)).toBe(COUNT);
    expect(count(access)).toBe(2 + 41_900 + 2);
    expect(count({ ...access, ranges: [FULL_RANGE] })).toBe(COUNT);
    expect(count({ ...access, ranges: [] })).toBe(0);
    expect(estimateRows(connection, access, 1000)).toBe(1000);
    expect(estimateRows(connection, { ...access, ranges: [between(1, 4)] }, 1000)).toBe(3);
    const one = encodeValue(7);
    expect(page({ ...access, ranges: [{ low: one, high: prefixSuccessor(one) }] }, 0, 5)).toEqual([7]);

    const spent = createWorkLimit(1, -1, () => 0);
    expect(() => page(walk, 44_990, 3, spent)).toThrow(WorkLimitExceeded);
    expect(orderedTableFor(entry, { ...access, mayRepeat: true })).toBeUndefined();
    expect(orderedTableFor(entry, { kind: 'scan' })).toBeUndefined();
  });

  it('are read by SQLite in the order of their own keys, without sorting', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'n', direction: -1 }));
    bench.fill([{ n: 1 }]);
    const { connection, catalogue } = bench;
    const entry = catalogue.get(NS)!;
    const planOf = (access: Access) => {
      const { textSql, ranges: stretches } = orderedTableFor(entry, access)!;
      const { low, high } = stretches[0]!;
      const steps = connection.statement(`explain query plan ${textSql}`).all(low, high, 40);
      return (steps as unknown as unknown[][]).map((step) => step[3]);
    };
    const index: IndexAccess = {
      kind: 'index',
      index: entry.indexes[0]!,
      ranges: [FULL_RANGE],
      reversed: true,
      mayRepeat: false,
    };
    const steps = [
      'SEARCH i USING PRIMARY KEY (key>? AND key<?)',
      'SEARCH d USING INTEGER PRIMARY KEY (rowid=?)',
    ];
    expect(planOf(index)).toEqual(steps);
    expect(planOf({ ...index, reversed: false })).toEqual(steps);
    const walk = { kind: 'id-scan', reversed: true, low: '', high: Buffer.from([0]) } as const;
    expect(planOf(walk)).toEqual(['SEARCH d_1 USING INDEX sqlite_autoindex_d_1_1 (id>? AND id<?)']);
  });
});
