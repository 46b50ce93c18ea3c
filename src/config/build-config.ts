// Builds the frozen configuration from defaults and given values.
import type { Json } from '../lib/json/json.ts';
import type { Config } from './schema.ts';
import { findSetting, SETTING_MAPS, SETTINGS, type Setting } from './settings.ts';

/** A group of the configuration under construction. */
interface Group {
  [key: string]: Json | Group;
}

/** Values by canonical path, `auth.tokenTtl`. */
export type SettingValues = ReadonlyMap<string, Json>;

function groupAt(root: Group, keys: readonly string[]): Group {
  let group = root;
  for (const key of keys) {
    // Keys are those of our own schema, never a client's.
    group[key] ??= {};
    group = group[key] as Group;
  }
  return group;
}

/** All settings with fixed names, and the members of families that have a value. */
function settingsFor(values: SettingValues): readonly Setting[] {
  const members = [...values.keys()].flatMap((path) => {
    const inFamily = SETTING_MAPS.some((family) => path.startsWith(`${family.path}.`));
    return inFamily ? (findSetting(path) ?? []) : [];
  });
  return [...SETTINGS, ...members];
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) freeze(member);
  Object.freeze(value);
}

/** Builds the configuration from valid values and the defaults. */
export function buildConfig(values: SettingValues): Config {
  const root: Group = {};
  for (const { path } of SETTING_MAPS) groupAt(root, path.split('.'));
  for (const { path, leaf } of settingsFor(values)) {
    const keys = path.split('.');
    const group = groupAt(root, keys.slice(0, -1));
    const value = values.get(path) ?? leaf.default;
    if (value !== undefined) group[keys.at(-1) ?? ''] = structuredClone(value);
  }
  freeze(root);
  return root as unknown as Config;
}

/** The value that a configuration has at a canonical path; undefined when unset. */
export function settingValueAt(config: Config, path: string): Json | undefined {
  let value: unknown = config;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value as Json | undefined;
}
