// Merges a posted change into the content of the configuration file.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { settingValueAt } from './build-config.ts';
import { flattenSettings, type SettingAssignment } from './flatten-settings.ts';
import type { Config } from './schema.ts';
import { findPathTarget } from './setting-names.ts';
import { REDACTED } from './validate-setting.ts';

const join = (parent: string, key: string) => (parent === '' ? key : `${parent}.${key}`);

/** The configuration before a posted change. */
export interface CurrentConfig {
  /** What the server runs with. */
  readonly config: Config;
  /** The assignments of the file by the path of their setting. */
  readonly filed: ReadonlyMap<string, SettingAssignment>;
  /** Values that the environment sets, by the path of their setting. */
  readonly environment: ReadonlyMap<string, Json>;
}

// A client may send back what GET returned: settings that it may not change are not rejected then, and values of the
// environment or defaults are not copied into the file.
function isUnchanged({ config, filed, environment }: CurrentConfig, path: string, value: Json): boolean {
  const target = findPathTarget(path);
  if (target?.kind !== 'setting') return false;
  const { leaf, path: setting } = target.setting;
  if (leaf.secret === true && value === REDACTED) return true;
  // There is nothing to take away; `allowed-changes.ts` decides about settings that are the operator's.
  if (value === null && !filed.has(setting)) return true;
  if (environment.has(setting) && isDeepStrictEqual(environment.get(setting), value)) return true;
  const present =
    leaf.overHttp === undefined
      ? settingValueAt(config, setting)
      : (filed.get(setting)?.value ?? leaf.default);
  return isDeepStrictEqual(present, value);
}

/** The change without members that keep their value, and without objects that are empty then. */
export function omitUnchanged(present: CurrentConfig, patch: JsonObject, parent = ''): JsonObject {
  const members = Object.entries(patch).flatMap(([key, value]): [string, Json][] => {
    const path = join(parent, key);
    if (isUnchanged(present, path, value)) return [];
    // An object in the place of a single value is wrong, and must reach the check of values.
    if (!isJsonObject(value) || findPathTarget(path)?.kind === 'setting') return [[key, value]];
    const remaining = omitUnchanged(present, value, path);
    return Object.keys(remaining).length === 0 ? [] : [[key, remaining]];
  });
  return Object.fromEntries(members);
}

/** Expands a bare boolean to the object that it stands for, so that both forms can be merged. */
function expandShorthand(path: string, value: Json | undefined): Json | undefined {
  const target = findPathTarget(path);
  if (typeof value !== 'boolean' || target?.kind !== 'group' || target.shorthand === undefined) return value;
  return { [target.shorthand.path.split('.').at(-1) ?? '']: value };
}

function merged(old: Json | undefined, value: Json, path: string): Json {
  const before = expandShorthand(path, old);
  const after = isJsonObject(before) ? expandShorthand(path, value) : value;
  if (!isJsonObject(after)) return value;
  return mergeSettings(isJsonObject(before) ? before : {}, after, path);
}

function without(settings: JsonObject, keys: readonly string[]): JsonObject {
  const [first, ...rest] = keys;
  const members = Object.entries(settings).flatMap(([key, value]) => {
    if (key !== first) return [[key, value] as const];
    return rest.length > 0 && isJsonObject(value) ? [[key, without(value, rest)] as const] : [];
  });
  return Object.fromEntries(members);
}

/** The old settings without those that the change sets under another name, so that none is set twice. */
export function omitRenamed(old: JsonObject, patch: JsonObject): JsonObject {
  const before = flattenSettings(old).assignments;
  let settings = old;
  for (const [path, { written }] of flattenSettings(patch).assignments) {
    const earlier = before.get(path)?.written;
    if (earlier === undefined || earlier === written) continue;
    // `cache: true` and `cache.enabled` are one place, which the merge handles.
    if (earlier.startsWith(`${written}.`) || written.startsWith(`${earlier}.`)) continue;
    settings = without(settings, earlier.split('.'));
  }
  return settings;
}

/** Objects are merged, other values replaced, `null` removes a member. Neither argument is changed. */
export function mergeSettings(old: JsonObject, patch: JsonObject, parent = ''): JsonObject {
  const members = new Map(Object.entries(old));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, merged(members.get(key), value, join(parent, key)));
  }
  return Object.fromEntries(members);
}
