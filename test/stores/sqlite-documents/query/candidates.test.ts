import { describe, expect, it } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { findCandidates } from '../../../../src/stores/sqlite-documents/query/candidates.ts';
import {
  type Access,
  FULL_RANGE,
  type IndexAccess,
} from '../../../../src/stores/sqlite-documents/query/index-plan.ts';
import { createPrefilter } from '../../../../src/stores/sqlite-documents/query/prefilter.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase, type TestDatabase } from '../test-database.ts';

const COUNT = 1234;
const END = Buffer.from([0]);

function filled(): TestDatabase {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'tags' }));
  bench.fill(Array.from({ length: COUNT }, (_, n) => ({ n: n + 1, tags: n % 2 === 0 ? ['a', 'b'] : ['c'] })));
  return bench;
}

function found(bench: TestDatabase, access: Access, filter = MATCH_ALL): number[] {
  const entry = bench.catalogue.get(NS)!;
  const search = {
    connection: bench.connection,
    entry,
    workLimit: NO_LIMIT,
    prefilter: createPrefilter(filter, access),
  };
  return [...findCandidates(search, access)].map(([, json]) => (JSON.parse(json) as { n: number }).n);
}

describe('candidates', () => {
  it('of an id scan come in slices in id order, for every direction and range', () => {
    const bench = filled();
    const all = Array.from({ length: COUNT }, (_, n) => n + 1);
    const walk = { kind: 'id-scan', reversed: false, low: '', high: END } as const;
    expect(found(bench, walk)).toEqual(all);
    expect(found(bench, { ...walk, reversed: true })).toEqual(all.toReversed());
    const part = { low: idOf(5), high: idOf(1200) };
    expect(found(bench, { ...walk, ...part })).toEqual(all.slice(4, 1199));
    expect(found(bench, { ...walk, ...part, reversed: true })).toEqual(all.slice(4, 1199).toReversed());
  });

  it('of a scan exclude what the prefilter rejects', () => {
    const bench = filled();
    expect(found(bench, { kind: 'scan' })).toHaveLength(COUNT);
    const filter = { kind: 'field', path: 'n', tests: [{ kind: 'gt', value: 1230 }] } as const;
    expect(found(bench, { kind: 'scan' }, filter)).toEqual([1230, 1231, 1232, 1233, 1234]);
  });

  it('of a scan take one step per document, whatever was removed', () => {
    const bench = openTestDatabase();
    bench.fill([{ n: 0, text: 'x'.repeat(400_000) }]);
    const far = 9_000_000_000;
    bench.connection.db.exec(
      `update d_1 set doc = ${far}; insert into d_1 (id, json) select 'b', json from d_1`,
    );
    bench.connection.db.exec(`insert into d_1 (doc, id, json) select 5, 'c', json from d_1 limit 1`);
    let steps = 0;
    const workLimit = {
      tick() {
        steps += 1;
      },
    };
    const entry = bench.catalogue.get(NS)!;
    const search = {
      connection: bench.connection,
      entry,
      workLimit,
      prefilter: createPrefilter(MATCH_ALL, { kind: 'scan' }),
    };
    expect([...findCandidates(search, { kind: 'scan' })].map(([doc]) => doc)).toEqual([5, far, far + 1]);
    expect(steps).toBeLessThan(10);
  });

  it('by id come in the order of the list, without missing ones', () => {
    expect(found(filled(), { kind: 'ids', ids: [idOf(7), idOf(9999), idOf(3)] })).toEqual([7, 3]);
    expect(found(filled(), { kind: 'ids', ids: [] })).toEqual([]);
  });

  it('of indexes contain no document twice', () => {
    const bench = filled();
    const index = bench.catalogue.get(NS)!.indexes[0]!;
    const access: IndexAccess = {
      kind: 'index',
      index,
      caseInsensitive: false,
      ranges: [FULL_RANGE],
      reversed: false,
      mayRepeat: true,
    };
    expect(found(bench, access)).toHaveLength(COUNT);
    expect(found(bench, { ...access, reversed: true })[0]).toBe(COUNT);
    expect(found(bench, { kind: 'union', branches: [access, access] })).toHaveLength(COUNT);
    expect(found(bench, { ...access, mayRepeat: false }).length).toBe(COUNT + COUNT / 2);
  });
});
