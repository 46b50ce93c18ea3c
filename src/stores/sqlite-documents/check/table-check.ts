// Runs SQLite's integrity check on single tables of the data file.
import { type Connection, inTransaction } from '../data-file/connection.ts';

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** One damaged page causes many messages. */
const MAX_MESSAGES = 3;

const PRIMARY_CODE = 0xff;

/** Whether the error says that pages of the file are damaged. */
export function isCorrupt(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return [CORRUPT, NOT_A_DATABASE].includes(Number(error.errcode) & PRIMARY_CODE);
}

const SCHEMA = 'sqlite_schema';

function messagesAbout(connection: Connection, table: string): readonly string[] {
  const known = connection.statement(`select 1 from ${SCHEMA} where name = ?`).get(table);
  // Another process may have dropped the table.
  if (known === undefined && table !== SCHEMA) return [];
  const rows = connection.statement(`pragma integrity_check('${table}')`).all() as unknown as [string][];
  return rows.flatMap(([text]) => text.split('\n')).filter((text) => text !== 'ok');
}

/** Returns the first messages about the pages of a table and of SQLite's own indexes on it. */
export function checkTable(connection: Connection, table: string): readonly string[] {
  try {
    return inTransaction(connection, 'read', () => messagesAbout(connection, table)).slice(0, MAX_MESSAGES);
  } catch (error) {
    if (isCorrupt(error)) return [error.message];
    throw error;
  }
}
