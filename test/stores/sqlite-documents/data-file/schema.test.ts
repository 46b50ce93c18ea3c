import { expect, it } from 'vitest';
import {
  createDocumentTable,
  createIndexTable,
  createSchema,
  documentTable,
  documentText,
  indexTable,
  parseDocument,
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

const DAMAGED = expect.objectContaining({ name: 'StorageError', kind: 'damaged' });

it('documents are accepted', () => {
  expect(documentText('{"_id":"a"}')).toBe('{"_id":"a"}');
  expect(parseDocument('{"_id":"a","b":[1]}')).toEqual({ _id: 'a', b: [1] });
});

it.each([null, undefined, 7, new Uint8Array(3), '', '"text"', '{"_id":"a"', '\u0000}'])(
  'takes no row that has %j for a document',
  (value) => {
    expect(() => documentText(value)).toThrow(DAMAGED);
  },
);

it.each(['', '{', 'null', '7', '[]', '{"a":1}', '{"_id":7}', '{"_id":"a",}'])(
  'takes no text %j for a document',
  (text) => {
    expect(() => parseDocument(text)).toThrow(DAMAGED);
  },
);
