// The configuration over HTTP: shown without secrets, changed in its file. The running configuration never changes.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../errors/errors.ts';
import { atomicWrite, OWNER_ONLY_MODE } from '../lib/files/file-operations.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { redactConfig } from './build-config.ts';
import { findForbiddenChanges, mergeSettings, omitRenamed, omitUnchanged } from './config-changes.ts';
import type { SettingIssue } from './config-file.ts';
import { readConfigFile } from './config-file.ts';
import type { Environment } from './environment.ts';
import { flattenSettings } from './flatten-settings.ts';
import { environmentValues, validateSources } from './load-config.ts';
import type { Config } from './schema.ts';

/** SHA-256 of the file in hexadecimal digits; null when there was none. */
interface FileChange {
  readonly before: string | null;
  readonly after: string;
}

/** Runs `write`, which changes the file. It may prevent the change by throwing before. */
type AroundSave = (change: FileChange, write: () => Promise<void>) => Promise<void>;

export interface ConfigStore {
  /** The running configuration, secrets as `********`. */
  redacted(): JsonObject;
  /**
   * Merges a change into the file; it is in force after a restart. Unknown keys of the file are kept.
   * Throws CONFIGURATION_INVALID with an item for each value that is not permitted or wrong; then nothing is written.
   * Where the file says all that already, nothing is written either, and `around` is not called.
   */
  save(patch: JsonObject, around?: AroundSave): Promise<void>;
}

interface ConfigStoreOptions {
  /** The running configuration. */
  readonly config: Config;
  /** Absolute path of the file to write. */
  readonly file: string;
  /** Default: the environment of the process. */
  readonly env?: Environment;
  /** Opens what a start with this configuration opens. Throws CONFIGURATION_INVALID on failure. */
  readonly tryStart?: (config: Config) => Promise<void>;
}

/** Unknown keys are kept in the file, which every start and change reads. */
const MAX_CHARACTERS = 256 * 1024;
/** Members of a change, at all levels. There are far fewer settings. */
const MAX_MEMBERS = 2000;

function reject(issues: readonly SettingIssue[]): never {
  throw new AppError('CONFIGURATION_INVALID', {
    items: issues.map(({ written, message }) => ({
      field: written,
      message,
      code: 'CONFIGURATION_INVALID',
    })),
  });
}

const rejectAll = (message: string) => reject([{ written: '', message }]);

function hasMoreMembers(value: Json, max: number): boolean {
  const pending: Json[] = [value];
  let count = 0;
  for (let next = pending.pop(); next !== undefined && count <= max; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    count += members.length;
    for (const member of members) pending.push(member);
  }
  return count > max;
}

/** The content of the file after a change, or undefined where that changes nothing. Throws CONFIGURATION_INVALID. */
async function merge(options: ConfigStoreOptions, stored: JsonObject, patch: JsonObject) {
  const { config, file, env } = options;
  const filed = flattenSettings(stored).assignments;
  const change = omitUnchanged({ config, filed, environment: environmentValues(env) }, patch);
  const content = mergeSettings(omitRenamed(stored, change), change);
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (text.length > MAX_CHARACTERS) {
    rejectAll(`the configuration would have more than ${MAX_CHARACTERS} characters`);
  }
  const forbidden = findForbiddenChanges(config, { patch, before: stored, after: content });
  if (forbidden.length > 0) reject(forbidden);
  const next = await validateSources({ read: { text, content }, shown: file, env, flags: {} });
  if (next.issues.length > 0) {
    reject(next.issues.map(({ setting, message }) => ({ written: setting, message })));
  }
  if (isDeepStrictEqual(content, stored)) return undefined;
  await options.tryStart?.(next.config);
  return text;
}

async function writeMerged(
  options: ConfigStoreOptions,
  patch: JsonObject,
  around: AroundSave,
): Promise<void> {
  const { file } = options;
  if (hasMoreMembers(patch, MAX_MEMBERS)) rejectAll(`must not have more than ${MAX_MEMBERS} members`);
  const stored = await readConfigFile(file);
  if (stored.issue !== undefined) {
    rejectAll('the configuration file on the server cannot be read as JSON');
  }
  const text = await merge(options, stored.content, patch);
  if (text === undefined) return;
  const before = stored.text === null ? null : sha256Hex(stored.text);
  await around({ before, after: sha256Hex(text) }, () => atomicWrite(file, text, OWNER_ONLY_MODE));
}

/** Creates the store of a running server. Changes are written one after the other. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  const shown = redactConfig(options.config);
  let last: Promise<unknown> = Promise.resolve();
  return {
    redacted: () => shown,
    save(patch, around = (_change, write) => write()) {
      const written = last.then(() => writeMerged(options, patch, around));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
