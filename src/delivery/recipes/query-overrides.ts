// The settings of one request: those of the recipe, and what its query string may replace.
import { AppError } from '../../errors/errors.ts';
import type { Recipe } from './recipe.ts';
import type { ImageSettings, SettingName } from './setting-rules.ts';
import { parseSetting, settingNameOf } from './setting-values.ts';

/**
 * Applies the parameters that `allowOverride` opens, by their long and short names; all others are ignored. Throws
 * PARAMETER_INVALID for a value that the setting cannot have and for a setting that is given twice.
 */
export function effectiveSettings(recipe: Recipe, query: URLSearchParams): ImageSettings {
  if (recipe.allowOverride.size === 0) return recipe.settings;
  const replaced = new Map<SettingName, unknown>();
  for (const [key, raw] of query) {
    const name = settingNameOf(key);
    if (name === undefined || !recipe.allowOverride.has(name)) continue;
    const result = parseSetting(name, raw);
    const twice = replaced.has(name) ? 'is given twice' : undefined;
    const message = twice ?? ('error' in result ? result.error : undefined);
    if (message !== undefined || 'error' in result) {
      const item = { field: key, message: `${key} ${message}`, code: 'Invalid Parameter' };
      throw new AppError('PARAMETER_INVALID', { items: [item] });
    }
    replaced.set(name, result.value);
  }
  const merged = Object.entries({ ...recipe.settings, ...Object.fromEntries(replaced) });
  // Absent again where the parameter says "not set"; sorted, so that the order of parameters changes no key.
  return Object.fromEntries(
    merged.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The settings that a query string gives, as a text that is the same for every spelling; undefined for an invalid one. */
export function canonicalSettings(recipe: Recipe, query: URLSearchParams): string | undefined {
  try {
    const settings = Object.entries(effectiveSettings(recipe, query));
    return JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
