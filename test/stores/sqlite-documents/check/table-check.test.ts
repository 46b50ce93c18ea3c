import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { checkTable, isCorrupt } from '../../../../src/stores/sqlite-documents/check/table-check.ts';
import { indexOf, openTestDatabase } from '../test-database.ts';

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
