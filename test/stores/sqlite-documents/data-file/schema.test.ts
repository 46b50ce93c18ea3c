import { expect, it } from 'vitest';
import {
  createDocumentTable,
  createIndexTable,
  createSchema,
  documentTable,
  indexTable,
} from '../../../../src/stores/sqlite-documents/data-file/schema.ts';
import { openTestDatabase } from '../test-database.ts';

it('the schema is created once, with a write-ahead log', () => {
  const { connection } = openTestDatabase();
  createSchema(connection);
  expect(connection.statement('pragma journal_mode').get()).toEqual(['wal']);
  expect(connection.statement('select count(*) from collections').get()).toEqual([0]);
});

it('a file with a newer layout is rejected', () => {
  const { connection } = openTestDatabase();
  connection.db.exec('pragma user_version=99');
  expect(() => createSchema(connection)).toThrow('layout 99');
});

it('tables are named by number', () => {
  const { connection } = openTestDatabase();
  createDocumentTable(connection, 7);
  createIndexTable(connection, 8, false);
  createIndexTable(connection, 8, true);
  const names = connection
    .statement("select name from sqlite_schema where name like '%\\__' escape '\\'")
    .all();
  expect(names.flat()).toEqual(
    expect.arrayContaining([documentTable(7), indexTable(8, false), indexTable(8, true)]),
  );
});
