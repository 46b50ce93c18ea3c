// The configuration over HTTP: shown without its secrets, changed in its file. The running one never changes.
import { AppError } from '../errors.ts';
import { atomicWrite } from '../lib/atomic-write.ts';
import { fingerprint } from '../lib/fingerprint.ts';
import type { JsonObject } from '../lib/json.ts';
import { brokenRules, createSettingCheck, type SettingCheck } from './check.ts';
import { createConfig } from './effective.ts';
import type { Environment } from './environment.ts';
import { readConfigFile } from './file.ts';
import { type Flattened, flatten, type Remark } from './flatten.ts';
import { environmentValues } from './load.ts';
import { mergeSettings, withoutKept, withoutRenamed } from './merge.ts';
import { redact } from './redact.ts';
import type { Config } from './schema.ts';

/** SHA-256 of the file in hexadecimal digits; null when there was none. */
interface FileChange {
  readonly before: string | null;
  readonly after: string;
}

export interface ConfigStore {
  /** The running configuration, secrets as `********`. */
  redacted(): JsonObject;
  /**
   * Merges a change into the file; it is in force after a restart. Unknown keys are kept, as in a file written by hand.
   * Throws CONFIGURATION_INVALID with an item for each wrong value; then nothing is written.
   * Resolves with what became of the file.
   */
  save(patch: JsonObject): Promise<FileChange>;
}

interface ConfigStoreOptions {
  /** What the server runs with. */
  readonly config: Config;
  /** Absolute path of the file to write. */
  readonly file: string;
  /** That of the process if absent. */
  readonly env?: Environment;
}

/** What a start would make of the file, whose every value has been checked. */
function afterRestart(flat: Flattened, env: Environment | undefined): Config {
  const values = [...flat.assignments].map(([path, { value }]) => [path, value] as const);
  return createConfig(new Map([...values, ...environmentValues(env)]));
}

function wrongIn(
  flat: Flattened,
  checkSetting: SettingCheck,
  env: Environment | undefined,
): readonly Remark[] {
  const wrong = [...flat.problems];
  for (const { setting, value, written } of flat.assignments.values()) {
    const message =
      setting.leaf.outsideFile === true
        ? `cannot be set in the file: use a flag or ${setting.env.join(', ')}`
        : checkSetting(setting, value);
    if (message !== undefined) wrong.push({ written, message });
  }
  if (wrong.length > 0) return wrong;
  return brokenRules(afterRestart(flat, env)).map(({ path, message }) => ({ written: path, message }));
}

function refuse(remarks: readonly Remark[]): never {
  throw new AppError('CONFIGURATION_INVALID', {
    items: remarks.map(({ written, message }) => ({
      field: written,
      message,
      code: 'CONFIGURATION_INVALID',
    })),
  });
}

/** Keys that no setting has are kept, and read again at every start and change. */
const MAX_CHARACTERS = 256 * 1024;

async function writeMerged(
  { config, file, env }: ConfigStoreOptions,
  patch: JsonObject,
): Promise<FileChange> {
  const stored = await readConfigFile(file);
  if (stored.problem !== undefined) {
    refuse([{ written: '', message: 'the configuration file on the server cannot be read as JSON' }]);
  }
  const change = withoutKept({ config, environment: environmentValues(env) }, patch);
  const next = mergeSettings(withoutRenamed(stored.content, change), change);
  const text = `${JSON.stringify(next, null, 2)}\n`;
  if (text.length > MAX_CHARACTERS) {
    refuse([{ written: '', message: `the configuration would have more than ${MAX_CHARACTERS} characters` }]);
  }
  const wrong = wrongIn(flatten(next), await createSettingCheck(), env);
  if (wrong.length > 0) refuse(wrong);
  await atomicWrite(file, text);
  return { before: stored.text === null ? null : fingerprint(stored.text), after: fingerprint(text) };
}

/** Makes the store of one running server. Changes are written one after the other. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  const shown = redact(options.config);
  let last: Promise<unknown> = Promise.resolve();
  return {
    redacted: () => shown,
    save(patch) {
      const written = last.then(() => writeMerged(options, patch));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
