// Redacts secrets of the configuration.
import type { JsonObject } from '../lib/json/json.ts';
import { buildConfig, settingValueAt } from './build-config.ts';
import type { Config } from './schema.ts';
import { findSetting, SETTING_MAPS, SETTINGS, type Setting } from './settings.ts';
import { REDACTED } from './validate-setting.ts';

/** Canonical paths of the secret settings; `*` stands for every name of a family. */
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
