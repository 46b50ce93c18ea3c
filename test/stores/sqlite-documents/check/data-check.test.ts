import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkTable,
  type DataReport,
  isCorrupt,
  openDataCheck,
} from '../../../../src/stores/sqlite-documents/check/data-check.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { encodeId, encodeValue } from '../../../../src/stores/sqlite-documents/indexes/index-keys.ts';
import { expectConsistentIndexes } from '../index-consistency.ts';
import { idOf, indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

/** A data file with two indexes, and a check on a connection of its own beside it. */
function openFile() {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'a' }));
  bench.index(indexOf({ path: 'b' }));
  bench.fill([
    { a: 1, b: 1 },
    { a: 2, b: 2 },
    { a: 3, b: 3 },
  ]);
  const data = openDataCheck({ path: dirname(bench.file), pause: async () => undefined, ms: -1 })!;
  onTestFinished(() => data.close());
  return { bench, data };
}

const issuesOf = ({ issues }: DataReport) =>
  issues.map(({ index, kind, count }) => `${index ?? '-'} ${kind} ${count}`);

describe('the check of a data file', () => {
  it('reports how many collections, documents and indexes it checked', async () => {
    const { data } = openFile();
    expect(await data.check()).toEqual({
      collections: 1,
      documents: 3,
      indexes: 2,
      issues: [],
      unfinished: [],
      broken: [],
    });
  });

  it('names inconsistent indexes and repairs them while another process has the file open', async () => {
    const { bench, data } = openFile();
    bench.connection.db.exec("delete from i_1 where doc = 1; insert into i_2 values (x'99', 2), (x'98', 3)");
    const report = await data.check();
    expect(issuesOf(report)).toEqual(['a missing 1', 'b surplus 2']);
    expect(report.broken).toMatchObject([
      { ns: NS, index: 'a', n: 1 },
      { index: 'b', n: 2 },
    ]);
    expect([await data.repair(report.broken[0]!), await data.repair(report.broken[1]!)]).toEqual([
      'rebuilt',
      'rebuilt',
    ]);
    expect(await data.check()).toMatchObject({ issues: [], broken: [], indexes: 2 });
    expectConsistentIndexes(bench);
  });

  it('distinguishes unfinished indexes from an interrupted repair', async () => {
    const { bench, data } = openFile();
    bench.catalogue.addIndex(bench.catalogue.get(NS)!, indexOf({ path: 'c' }), false);
    bench.connection.db.exec('update indexes set ready = 0 where n = 1');
    bench.catalogue.invalidate();
    bench.catalogue.refresh();
    bench.catalogue.addIndex(bench.catalogue.get(NS)!, indexOf({ path: 'a' }), false);
    const report = await data.check();
    expect(report.unfinished.map(({ index, n }) => [index, n])).toEqual([
      ['c', 3],
      ['a', 4],
    ]);
    expect(report.broken.map(({ n }) => n)).toEqual([1]);
    expect(await data.repair(report.broken[0]!)).toBe('rebuilt');
    expect((await data.check()).unfinished.map(({ n }) => n)).toEqual([3]);
  });

  it('reports indexes that the documents violate and indexes that no longer exist', async () => {
    const { bench, data } = openFile();
    bench.connection.db.exec(
      'update indexes set definition = replace(definition, \'"unique":false\', \'"unique":true\')',
    );
    bench.connection.db.exec('update d_1 set json = replace(json, \'"a":2\', \'"a":1\')');
    const { broken } = await data.check();
    expect(broken.map(({ index }) => index)).toEqual(['a']);
    expect(await data.repair(broken[0]!)).toBe('duplicate');
    expect(await data.repair({ ...broken[0]!, n: 99 })).toBe('gone');
  });

  it('finds rows for elements without the field of a sparse index', async () => {
    const { bench, data } = openFile();
    bench.catalogue.refresh();
    const sparse = { ...indexOf({ path: 'o.x' }), unique: true, sparse: true };
    bench.catalogue.addIndex(bench.catalogue.get(NS)!, sparse, true);
    applyWrites(bench, [insertThing(4, { o: [{ y: 1 }, { x: 'a' }] })], NO_LIMIT);
    const empty = Buffer.concat([encodeValue(undefined), encodeId(idOf(4), 1)]);
    bench.connection.db.prepare('insert into i_3 values (?, 4)').run(empty);
    const { broken, issues } = await data.check();
    expect(issues).toMatchObject([{ index: 'o.x', kind: 'surplus', count: 1 }]);
    expect(await data.repair(broken[0]!)).toBe('rebuilt');
    expect(await data.check()).toMatchObject({ issues: [], broken: [] });
    expectConsistentIndexes(bench);
  });

  it('reports documents and pages that are lost', async () => {
    const { bench, data } = openFile();
    bench.connection.db.exec("update d_1 set json = '{' where doc = 1");
    expect(issuesOf(await data.check())).toEqual(['- unreadable 1']);
  });
});

describe('a data file with damaged pages', () => {
  /** Overwrites the root page of a table in the file. */
  function damage({ bench }: ReturnType<typeof openFile>, table: string): void {
    const { db } = bench.connection;
    const root = db.prepare('select rootpage from sqlite_schema where name = ?').get(table);
    const page = Number((root as unknown as [number])[0]);
    db.exec('pragma wal_checkpoint(truncate)');
    bench.connection.close();
    const bytes = readFileSync(bench.file);
    bytes.fill(0xa5, (page - 1) * 4096 + 8, page * 4096);
    writeFileSync(bench.file, bytes);
  }

  it('of an index is reported for that index, and the others are compared', async () => {
    const opened = openFile();
    opened.bench.connection.db.exec('delete from i_2 where doc = 1');
    damage(opened, 'i_1');
    const found = issuesOf(await opened.data.check());
    expect(found[0]).toMatch(/^a damaged \d+$/);
    expect(found.slice(1)).toEqual(['b missing 1']);
  });

  it('of the documents is reported, and no index is compared with them', async () => {
    const opened = openFile();
    damage(opened, 'd_1');
    const found = issuesOf(await opened.data.check());
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^- damaged \d+$/);
  });

  it('is not repaired where a rebuild would have to read them', async () => {
    const opened = openFile();
    opened.bench.connection.db.exec('delete from i_1 where doc = 1');
    const { broken } = await opened.data.check();
    damage(opened, 'd_1');
    expect(await opened.data.repair(broken[0]!)).toBe('damaged');
  });
});

it('a check that was closed rejects with StoreErrors', async () => {
  const { bench } = openFile();
  const data = openDataCheck({ path: dirname(bench.file) })!;
  bench.connection.db.exec('delete from i_1 where doc = 1');
  const { broken } = await data.check();
  data.close();
  await expect(data.check()).rejects.toMatchObject({ name: 'StoreError' });
  await expect(data.repair(broken[0]!)).rejects.toMatchObject({ name: 'StoreError' });
});

describe('a folder without a data file', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'cloister-check-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  it('is not changed by a check', () => {
    expect(openDataCheck({ path: folder() })).toBeUndefined();
    const path = folder();
    writeFileSync(join(path, 'cloister.db'), '');
    expect(openDataCheck({ path })).toBeUndefined();
  });

  it('is distinguished from one with a file that is not a database', () => {
    const path = folder();
    writeFileSync(join(path, 'cloister.db'), 'no database'.repeat(1000));
    expect(() => openDataCheck({ path })).toThrow('unavailable');
    mkdirSync(join(path, 'sub', 'cloister.db'), { recursive: true });
    expect(() => openDataCheck({ path: join(path, 'sub') })).toThrow('unavailable');
  });
});

it('no message for tables that are intact or missing', () => {
  const { connection, ...bench } = openTestDatabase();
  bench.fill([{ a: 1 }]);
  for (const table of ['sqlite_schema', 'collections', 'd_1', 'i_77'])
    expect(checkTable(connection, table)).toEqual([]);
});

it('messages name the damaged pages of one table only', () => {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'a' }));
  bench.fill(Array.from({ length: 400 }, (_, n) => ({ a: `value ${n}` })));
  const root = bench.connection.db.prepare("select rootpage from sqlite_schema where name = 'i_1'").get();
  const page = Number((root as unknown as [number])[0]);
  bench.connection.db.exec('pragma wal_checkpoint(truncate)');
  bench.connection.close();
  const bytes = readFileSync(bench.file);
  bytes.fill(0xa5, (page - 1) * 4096 + 8, page * 4096);
  writeFileSync(bench.file, bytes);
  const connection = bench.connect();
  const damage = checkTable(connection, 'i_1');
  expect(damage.length).toBeGreaterThan(0);
  expect(damage.length).toBeLessThanOrEqual(3);
  expect(checkTable(connection, 'd_1')).toEqual([]);
});

it('errors about damaged pages are recognised', () => {
  const { file, connection } = openTestDatabase();
  connection.close();
  writeFileSync(file, 'no database at all, but long enough to be read as the header of one'.repeat(100));
  const db = new DatabaseSync(file);
  const failure = (() => {
    try {
      return db.exec('select * from collections');
    } catch (error) {
      return error;
    }
  })();
  db.close();
  expect(isCorrupt(failure)).toBe(true);
  expect(isCorrupt(new Error('other'))).toBe(false);
});
