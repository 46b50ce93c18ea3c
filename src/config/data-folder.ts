// Where the server keeps what is its own and is in no database, whatever the engine: the setting has the name of the engine for
// which it was first made.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../errors/errors.ts';
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

/** Absolute path of the file that is there while a restore is at work, or was interrupted. */
export function restoreMarkerOf(config: Pick<Config, 'database'>, cwd: string): string {
  return join(dataFolderOf(config, cwd), 'cloister.restore.json');
}

/** Throws CONFIGURATION_INVALID while the data are half restored. */
export function assertRestored(config: Pick<Config, 'database'>, cwd: string): void {
  if (!existsSync(restoreMarkerOf(config, cwd))) return;
  const field = DATA_FOLDER_SETTING;
  const message = `a restore into ${dataFolderOf(config, cwd)} has not ended: run \`cloister restore\` again`;
  throw new AppError('CONFIGURATION_INVALID', { field, message });
}
