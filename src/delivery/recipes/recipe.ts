// A recipe: how the files that are asked for by its name are delivered. Reads its JSON; touches no file.

import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { JsonPath } from '../../lib/json/json-line-numbers.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { DefinitionIssue, DefinitionKind } from '../definitions/definition.ts';
import {
  type ImageSettings,
  SETTING_RULES,
  SETTINGS_WITHOUT_EFFECT,
  type SettingName,
} from './setting-rules.ts';
import { parseSetting, settingNameOf } from './setting-values.ts';

export interface Recipe {
  readonly name: string;
  /** As written: prefix of the requested path, or the `http(s)` URL of a base. */
  readonly path: string | undefined;
  /** Asset recipes (`js`, `css`, `fonts`) pass files through; image recipes render. */
  readonly kind: 'image' | 'asset';
  /** Of image recipes; empty for assets. */
  readonly settings: ImageSettings;
  /** False: files are sent as they are, also to those who take them compressed. */
  readonly compress: boolean;
  /** Settings that the query string may replace. */
  readonly allowOverride: ReadonlySet<SettingName>;
  /** Changes whenever what the recipe does changes: part of cache keys and ETags. */
  readonly version: string;
  /** The document as it was sent or written. */
  readonly document: JsonObject;
}

interface RecipeIssue {
  readonly message: string;
  /** Where in the document. */
  readonly path: JsonPath;
  /** An unknown member or setting. The older server ignored these, so a file with one still takes effect. */
  readonly isUnknown?: true;
}

export interface ParsedRecipe {
  /** Undefined when there are errors other than unknown members and settings. */
  readonly recipe: Recipe | undefined;
  readonly errors: readonly RecipeIssue[];
  /** For the log and for `cloister check`. They do not make a recipe invalid. */
  readonly warnings: readonly RecipeIssue[];
}

const NAME = /^[A-Za-z_-][A-Za-z0-9_-]{4,99}$/;
/** Files of the older server were never checked. */
const FILE_NAME = /^[A-Za-z0-9_-]{1,100}$/;
const NAME_RULE =
  'Recipe name must be 5 characters or longer and contain only uppercase and lowercase letters, dashes and underscores';
const RESERVED: ReadonlySet<string> = new Set([
  ...['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media'],
  ...['css', 'js', 'fonts', 'disk', 'http', 'https', 's3'],
]);

const MEMBERS: ReadonlySet<string> = new Set(['recipe', 'path', 'settings', 'plugins', 'processors']);
const ASSET_FORMATS: ReadonlySet<unknown> = new Set(['js', 'css', 'font', 'fonts']);
const ASSET_SETTINGS: ReadonlySet<string> = new Set(['format', 'compress', 'transform', 'allowOverride']);
const SETTING_NAMES: readonly string[] = [
  ...Object.keys(SETTING_RULES),
  'allowOverride',
  'format',
  'compress',
];
const MAX_PATH = 1024;
const MAX_SHOWN = 100;

interface Issues {
  readonly errors: RecipeIssue[];
  readonly warnings: RecipeIssue[];
}

const shown = (text: string) => JSON.stringify(text.slice(0, MAX_SHOWN));
const issue = (path: JsonPath, message: string): RecipeIssue => ({ message, path });
const unknown = (path: JsonPath, message: string): RecipeIssue => ({ message, path, isUnknown: true });

function parseName(raw: Json | undefined, fileName: string | undefined, { errors }: Issues): string {
  const fallback = fileName?.replace(/\.json$/i, '');
  const name = raw ?? fallback;
  if (name === undefined || name === '') {
    errors.push(issue(['recipe'], 'Property "recipe" not found in recipe'));
    return '';
  }
  const pattern = fileName === undefined ? NAME : FILE_NAME;
  if (typeof name !== 'string' || !pattern.test(name)) errors.push(issue(['recipe'], NAME_RULE));
  else if (RESERVED.has(name.toLowerCase())) errors.push(issue(['recipe'], 'Recipe name is reserved'));
  return String(name);
}

function parsePath(raw: Json | undefined, { errors }: Issues): string | undefined {
  if (raw === undefined || raw === null || raw === '') return undefined;
  if (typeof raw !== 'string' || raw.length > MAX_PATH) {
    errors.push(issue(['path'], `Property "path" must be a text of at most ${MAX_PATH} characters`));
    return undefined;
  }
  const inner = /^https?:\/\//i.test(raw) ? raw.replace(/^https?:\/\//i, '') : raw;
  const hasControl = [...inner].some((character) => character < ' ' || character === '\\');
  if (hasControl || inner.split('/').some((part) => part === '..' || part === '.')) {
    errors.push(
      issue(['path'], 'Property "path" must be a path without ".", ".." and backslashes, or a URL'),
    );
  }
  return raw;
}

function parseOverrides(raw: Json | undefined, { errors }: Issues): ReadonlySet<SettingName> {
  const allowed = new Set<SettingName>();
  const path = ['settings', 'allowOverride'];
  if (raw === undefined || raw === null) return allowed;
  if (!Array.isArray(raw) || raw.length > MAX_SHOWN) {
    errors.push(issue(path, 'Setting "allowOverride" must be a list of settings'));
    return allowed;
  }
  for (const entry of raw) {
    const name = typeof entry === 'string' ? settingNameOf(entry) : undefined;
    if (name !== undefined) allowed.add(name);
    else
      errors.push(issue(path, `Setting "allowOverride" names ${shown(String(entry))}, which is no setting`));
  }
  return allowed;
}

function parseImageSettings(settings: JsonObject, { errors, warnings }: Issues): ImageSettings {
  const parsed = new Map<SettingName, unknown>();
  for (const [key, raw] of Object.entries(settings).slice(0, MAX_SHOWN)) {
    if (key === 'allowOverride') continue;
    const path = ['settings', key];
    const name = settingNameOf(key);
    if (name === undefined) {
      if (SETTINGS_WITHOUT_EFFECT.has(key)) warnings.push(issue(path, `setting "${key}" has no effect`));
      else errors.push(unknown(path, `Setting ${shown(key)} is unknown${didYouMean(key, SETTING_NAMES)}`));
      continue;
    }
    const result = parseSetting(name, raw);
    if ('error' in result) errors.push(issue(path, `Setting "${key}" ${result.error}`));
    else {
      if (result.warning !== undefined) warnings.push(issue(path, `setting "${key}": ${result.warning}`));
      if (parsed.has(name)) errors.push(issue(path, `Setting "${name}" is given twice`));
      parsed.set(name, result.value);
    }
  }
  // In the order of the table, so that the order in the document changes no key.
  const names = Object.keys(SETTING_RULES) as SettingName[];
  const present = names.filter((name) => parsed.get(name) !== undefined);
  return Object.fromEntries(present.map((name) => [name, parsed.get(name)]));
}

function parseCompress(settings: JsonObject, { errors, warnings }: Issues): boolean {
  for (const key of Object.keys(settings)) {
    if (!ASSET_SETTINGS.has(key))
      errors.push(
        unknown(['settings', key], `Setting ${shown(key)} is unknown${didYouMean(key, ASSET_SETTINGS)}`),
      );
  }
  if (settings['transform'] !== undefined) {
    warnings.push(issue(['settings', 'transform'], 'setting "transform" has no effect'));
  }
  const value = settings['compress'] ?? 1;
  if ([0, '0', false, 'false'].includes(value as string)) return false;
  if ([1, '1', true, 'true'].includes(value as string)) return true;
  errors.push(issue(['settings', 'compress'], 'Setting "compress" must be 0 or 1'));
  return false;
}

/**
 * Reads a recipe. With `fileName` it comes from a file: the name may be missing there, and short as the older server let
 * pass. Never throws, whatever `json` is.
 */
export function parseRecipe(json: unknown, fileName?: string): ParsedRecipe {
  const issues: Issues = { errors: [], warnings: [] };
  const { errors, warnings } = issues;
  if (!isJsonObject(json)) {
    return { recipe: undefined, errors: [issue([], 'The recipe must be an object')], warnings };
  }
  const document = json as JsonObject;
  const name = parseName(document['recipe'], fileName, issues);
  const path = parsePath(document['path'], issues);
  for (const key of Object.keys(document).slice(0, MAX_SHOWN)) {
    if (!MEMBERS.has(key))
      errors.push(unknown([key], `Property ${shown(key)} is unknown${didYouMean(key, MEMBERS)}`));
    else if (key === 'plugins' || key === 'processors') {
      warnings.push(issue([key], `property "${key}" has no effect`));
    }
  }
  const settings = document['settings'];
  if (settings === undefined || settings === null) {
    errors.push(issue(['settings'], 'Property "settings" not found in recipe'));
    return { recipe: undefined, errors, warnings };
  }
  if (!isJsonObject(settings)) {
    errors.push(issue(['settings'], 'Property "settings" must be an object'));
    return { recipe: undefined, errors, warnings };
  }
  const kind = ASSET_FORMATS.has(settings['format'] ?? settings['fmt']) ? 'asset' : 'image';
  const compress = kind === 'image' || parseCompress(settings, issues);
  const parsed = kind === 'image' ? parseImageSettings(settings, issues) : {};
  const allowOverride = parseOverrides(settings['allowOverride'], issues);
  if (errors.some(({ isUnknown }) => isUnknown !== true)) return { recipe: undefined, errors, warnings };
  const version = sha256Hex(JSON.stringify([kind, path ?? null, parsed, [...allowOverride].sort()]));
  return {
    recipe: { name, path, kind, settings: parsed, compress, allowOverride, version, document },
    errors,
    warnings,
  };
}

/** The name has been looked at: whatever stands here is right. */
const SOME_NAME = 'recipe';

/** Recipes as definitions. The name of a value means nothing: that of its definition counts. */
export const RECIPE_KIND: DefinitionKind<Recipe> = {
  noun: 'recipe',
  parse(source) {
    const { recipe, errors, warnings } = parseRecipe({ ...source, recipe: SOME_NAME }, `${SOME_NAME}.json`);
    const toIssue = (
      severity: DefinitionIssue['severity'],
      { message, path }: (typeof errors)[number],
    ): DefinitionIssue => ({
      severity,
      message,
      path,
    });
    const issues = [
      ...errors.map((issue) => toIssue('error', issue)),
      ...warnings.map((issue) => toIssue('warning', issue)),
    ];
    return { value: recipe, issues };
  },
};
