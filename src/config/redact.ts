// Redacts secrets of the configuration.
import type { JsonObject } from '../lib/json/json.ts';
import { buildConfig, valueAt } from './build-config.ts';
import type { Config } from './schema.ts';
import { FAMILIES, findSetting, SETTINGS, type Setting } from './settings.ts';
import { REDACTED } from './validate.ts';

/** Canonical paths of the secret settings; `*` stands for every name of a family. */
export const SECRET_PATHS: readonly string[] = [
  ...SETTINGS.filter(({ leaf }) => leaf.secret === true).map(({ path }) => path),
  ...FAMILIES.filter(({ node }) => node.additionalProperties.secret === true).map(({ path }) => `${path}.*`),
];

function settingsOf(config: Config): readonly Setting[] {
  const members = FAMILIES.flatMap(({ path }) =>
    Object.keys(valueAt(config, path) ?? {}).flatMap((name) => findSetting(`${path}.${name}`) ?? []),
  );
  return [...SETTINGS, ...members];
}

/** The configuration with `********` for each secret that is set; unset members are absent. */
export function redact(config: Config): JsonObject {
  const values = new Map(
    settingsOf(config).flatMap(({ path, leaf }) => {
      const value = valueAt(config, path);
      if (value === undefined) return [];
      return [[path, leaf.secret === true ? REDACTED : value]];
    }),
  );
  return buildConfig(values) as unknown as JsonObject;
}
