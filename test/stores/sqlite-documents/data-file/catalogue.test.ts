import { describe, expect, it } from 'vitest';
import {
  createCatalogue,
  createDocumentTable,
  createIndexTable,
  createSchema,
  documentTable,
  hasSchema,
  indexTable,
} from '../../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import { inTransaction } from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { indexOf, NS, openTestDatabase } from '../test-database.ts';

it('the schema is created once, with a write-ahead log', () => {
  const { connection } = openTestDatabase();
  createSchema(connection);
  expect(connection.statement('pragma journal_mode').get()).toEqual(['wal']);
  expect(connection.statement('select count(*) from collections').get()).toEqual([0]);
});

it.each([1, 3, 99, -1])('a file with layout %i, which nobody knows, is rejected', (layout) => {
  const { connection } = openTestDatabase();
  connection.db.exec(`pragma user_version=${layout}`);
  expect(() => createSchema(connection)).toThrow(`has layout ${layout}; this version reads 2`);
  expect(() => hasSchema(connection)).toThrow(`layout ${layout}`);
});

it('tables are named by number', () => {
  const { connection } = openTestDatabase();
  createDocumentTable(connection, 7);
  createIndexTable(connection, 8);
  const names = connection
    .statement("select name from sqlite_schema where name like '%\\__' escape '\\'")
    .all();
  expect(names.flat()).toEqual(expect.arrayContaining([documentTable(7), indexTable(8)]));
});

describe('the catalogue', () => {
  it('is reloaded after writes of other connections', () => {
    const bench = openTestDatabase();
    const other = createCatalogue(bench.connect({ readOnly: true }));
    other.refresh();
    expect(other.get(NS)).toBeUndefined();
    bench.fill([{ a: 1 }, { a: 2 }]);
    other.refresh();
    expect(other.get(NS)).toMatchObject({ documents: 2, writes: 1, ns: NS });
    expect(other.list()).toHaveLength(1);
  });

  it('stores definitions, progress and multikey bits', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }, { path: 'b' }));
    bench.fill([{ a: ['x', 'y'], b: 1 }]);
    const other = createCatalogue(bench.connect());
    other.refresh();
    const [index] = other.get(NS)?.indexes ?? [];
    expect(index).toMatchObject({ name: 'a_b', ready: true, multikey: 1 });
    expect(index?.definition).toEqual(indexOf({ path: 'a' }, { path: 'b' }));
  });

  it('drops an index with its table', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'a' }));
    const entry = bench.catalogue.get(NS)!;
    bench.catalogue.dropIndex(entry, entry.indexes[0]!);
    expect(bench.catalogue.get(NS)?.indexes).toEqual([]);
    const tables = bench.connection.statement("select count(*) from sqlite_schema where name = 'i_1'").get();
    expect(tables).toEqual([0]);
  });

  it('drops what was rolled back', () => {
    const bench = openTestDatabase();
    expect(() =>
      inTransaction(bench.connection, 'immediate', () => {
        bench.catalogue.refresh();
        bench.catalogue.ensure(NS);
        throw new Error('no');
      }),
    ).toThrow('no');
    bench.catalogue.invalidate();
    bench.catalogue.refresh();
    expect(bench.catalogue.get(NS)).toBeUndefined();
  });

  it('distinguishes a database from none', () => {
    const bench = openTestDatabase();
    bench.fill([{}]);
    expect(bench.catalogue.get({ database: 'things', collection: 'things' })).toBeUndefined();
  });
});
