// Where the server keeps what is its own and is in no database, whatever the engine: the setting has the name of the engine for
// which it was first made.
import { resolve } from 'node:path';
import type { Config } from './schema.ts';

/** The setting that names the data folder, as messages call it. */
export const DATA_FOLDER_SETTING = 'database.sqlite.path';

/** Absolute path of the data folder; `cwd` is where relative paths start. */
export function dataFolderOf({ database }: Pick<Config, 'database'>, cwd: string): string {
  return resolve(cwd, database.sqlite.path);
}

/** Absolute path of the folder of the audit log's keys: the data folder, unless a setting names another. */
export function auditFolderOf(config: Pick<Config, 'auth' | 'database'>, cwd: string): string {
  const { auditPath } = config.auth;
  return auditPath === undefined ? dataFolderOf(config, cwd) : resolve(cwd, auditPath);
}
