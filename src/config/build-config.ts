// The configuration as one object: built from defaults and given values, frozen, and shown with its secrets redacted.
import type { Json, JsonObject } from '../lib/json/json.ts';
import type { Config } from './schema.ts';
import { findSetting, SETTING_MAPS, SETTINGS, type Setting } from './setting-names.ts';
import { REDACTED } from './validate-setting.ts';

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

/** All settings with fixed names, and the members of maps that have a value. */
function settingsFor(values: SettingValues): readonly Setting[] {
  const members = [...values.keys()].flatMap((path) => {
    const isInMap = SETTING_MAPS.some((map) => path.startsWith(`${map.path}.`));
    return isInMap ? (findSetting(path) ?? []) : [];
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

/** Canonical paths of the secret settings; `*` stands for every name of a map. */
export const SECRET_PATHS: readonly string[] = [
  ...SETTINGS.filter(({ leaf }) => leaf.secret === true).map(({ path }) => path),
  ...SETTING_MAPS.filter(({ node }) => node.additionalProperties.secret === true).map(
    ({ path }) => `${path}.*`,
  ),
];

function settingsOf(config: Config): readonly Setting[] {
  const members = SETTING_MAPS.flatMap(({ path }) =>
    Object.keys(settingValueAt(config, path) ?? {}).flatMap((name) => findSetting(`${path}.${name}`) ?? []),
  );
  return [...SETTINGS, ...members];
}

/** The values of all settings that have one, from which `buildConfig` makes the same configuration. */
export function settingValuesOf(config: Config): SettingValues {
  return new Map(
    settingsOf(config).flatMap(({ path }) => {
      const value = settingValueAt(config, path);
      return value === undefined ? [] : [[path, value] as const];
    }),
  );
}

/** The configuration with `********` for each secret that is set; unset members are absent. */
export function redactConfig(config: Config): JsonObject {
  const values = new Map(
    settingsOf(config).flatMap(({ path, leaf }) => {
      const value = settingValueAt(config, path);
      if (value === undefined) return [];
      return [[path, leaf.secret === true ? REDACTED : value]];
    }),
  );
  return buildConfig(values) as unknown as JsonObject;
}
