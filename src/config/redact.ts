// The configuration as it may be shown, and which of its members must never be.
import type { JsonObject } from '../lib/json.ts';
import { REDACTED } from './check.ts';
import { createConfig, valueAt } from './effective.ts';
import type { Config } from './schema.ts';
import { SETTINGS } from './settings.ts';

/** Canonical paths of the secret settings. */
export const SECRET_PATHS: readonly string[] = SETTINGS.filter(({ leaf }) => leaf.secret === true).map(
  ({ path }) => path,
);

/** The effective configuration with `********` for each secret that is set; what is unset is absent. */
export function redact(config: Config): JsonObject {
  const values = new Map(
    SETTINGS.flatMap(({ path, leaf }) => {
      const value = valueAt(config, path);
      if (value === undefined) return [];
      return [[path, leaf.secret === true ? REDACTED : value]];
    }),
  );
  return createConfig(values) as unknown as JsonObject;
}
