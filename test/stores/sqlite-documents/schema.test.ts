import { expect, it } from 'vitest';
import {
  createDocumentTable,
  createIndexTable,
  documentTable,
  indexTable,
  prepareFile,
} from '../../../src/stores/sqlite-documents/schema.ts';
import { openWorkbench } from './workbench.ts';

it('prepares a file once, with a write-ahead log', () => {
  const { connection } = openWorkbench();
  prepareFile(connection);
  expect(connection.statement('pragma journal_mode').get()).toEqual(['wal']);
  expect(connection.statement('select count(*) from collections').get()).toEqual([0]);
});

it('refuses a file of a later layout', () => {
  const { connection } = openWorkbench();
  connection.db.exec('pragma user_version=99');
  expect(() => prepareFile(connection)).toThrow('layout 99');
});

it('names tables by number', () => {
  const { connection } = openWorkbench();
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
