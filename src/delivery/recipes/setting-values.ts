// Reads the values of settings by their rules: those of a recipe, and those with which a query string may replace them.

import { AppError } from '../../errors/errors.ts';
import {
  type FormatChoice,
  type ImageSettings,
  RASTER_FORMATS,
  type RasterFormat,
  SETTING_ALIASES,
  SETTING_RULES,
  type SettingName,
  type SettingRule,
} from './setting-rules.ts';

/** `undefined` as value: the setting counts as absent. */
export type ParsedValue = { readonly value: unknown; readonly warning?: string } | { readonly error: string };

type Parse = (raw: unknown) => ParsedValue;

const MAX_TEXT = 200;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const COLOUR = /^#?([0-9a-f]{6})$/i;
const RATIO = /^(\d{1,5}(?:\.\d{1,4})?)[-:x/](\d{1,5}(?:\.\d{1,4})?)$/;
const MAX_RATIO = 100;
const MAX_COORDINATE = 65_535;

const ABSENT: ParsedValue = { value: undefined };

/** The setting that a long or short name means. */
export function settingNameOf(name: string): SettingName | undefined {
  if (Object.hasOwn(SETTING_RULES, name)) return name as SettingName;
  return Object.hasOwn(SETTING_ALIASES, name) ? SETTING_ALIASES[name] : undefined;
}

function numberOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  const text = typeof raw === 'string' ? raw.trim() : '';
  return text.length <= 20 && NUMBER.test(text) ? Number(text) : undefined;
}

function parseNumber(raw: unknown, rule: Extract<SettingRule, { kind: 'number' }>): ParsedValue {
  const number = numberOf(raw);
  const bounds = `from ${rule.min} to ${rule.max}`;
  if (number === undefined) return { error: `must be a number ${bounds}` };
  if (number === 0 && rule.zero === 'absent') return ABSENT;
  const value = rule.integer === true ? Math.trunc(number) : number;
  if (value >= rule.min && value <= rule.max) return { value };
  if (rule.clamp !== true || value < 0) return { error: `must be a number ${bounds}` };
  const clamped = Math.min(Math.max(value, rule.min), rule.max);
  return { value: clamped, warning: `${value} is outside ${bounds}: ${clamped} is used` };
}

const parseBoolean: Parse = (raw) => {
  if (raw === true || raw === 1 || raw === 'true' || raw === '1') return { value: true };
  if (raw === false || raw === 0 || raw === 'false' || raw === '0') return { value: false };
  return { error: 'must be true or false' };
};

function parseWord(raw: unknown, words: Readonly<Record<string, string>>): ParsedValue {
  const word = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
  if (Object.hasOwn(words, word)) return { value: words[word] };
  return { error: `must be one of ${Object.keys(words).join(', ')}` };
}

const parseRatio: Parse = (raw) => {
  const [, across, down] = (typeof raw === 'string' ? RATIO.exec(raw.trim()) : null) ?? [];
  const value = Number(across) / Number(down);
  if (value >= 1 / MAX_RATIO && value <= MAX_RATIO) return { value };
  return { error: 'must be two numbers such as 16-9, at most 100 to 1' };
};

const parseCrop: Parse = (raw) => {
  const texts = typeof raw === 'string' && raw.length <= MAX_TEXT ? raw.split(',') : raw;
  const list = Array.isArray(texts) && texts.length <= 4 ? texts.map(numberOf) : [];
  const numbers = list.filter((number) => number !== undefined && number >= 0 && number <= MAX_COORDINATE);
  if ((list.length === 2 || list.length === 4) && numbers.length === list.length) {
    return { value: numbers.map((number) => Math.trunc(number ?? 0)) };
  }
  return { error: 'must be top,left,bottom,right or top,left in pixels' };
};

const parseColour: Parse = (raw) => {
  const [, digits] = (typeof raw === 'string' ? COLOUR.exec(raw.trim()) : null) ?? [];
  return digits === undefined
    ? { error: 'must be a colour such as #ffffff' }
    : { value: `#${digits.toLowerCase()}` };
};

const isRaster = (word: string): word is RasterFormat => (RASTER_FORMATS as readonly string[]).includes(word);

const parseFormat: Parse = (raw) => {
  const text = typeof raw === 'string' && raw.length <= MAX_TEXT ? raw : '';
  const asked = text
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .map((word) => (word === 'jpeg' ? 'jpg' : word));
  const [first] = asked;
  if (asked.length === 1 && (first === 'auto' || first === 'json')) return { value: first };
  const formats = [...new Set(asked.filter(isRaster))];
  if (asked.every(isRaster)) return { value: formats satisfies FormatChoice };
  return { error: `must be auto, json, or a list of ${RASTER_FORMATS.join(', ')}` };
};

/** Reads a value. An empty text, null and, for most numbers, 0 count as absent. */
export function parseSetting(name: SettingName, raw: unknown): ParsedValue {
  if (raw === undefined || raw === null || raw === '') return ABSENT;
  const rule = SETTING_RULES[name];
  if (rule.kind === 'number') return parseNumber(raw, rule);
  if (rule.kind === 'boolean') return parseBoolean(raw);
  // The older server writes "not set" as the text 0, also where no number is meant.
  if (raw === '0' || raw === 0) return ABSENT;
  if (rule.kind === 'word') return parseWord(raw, rule.words);
  if (rule.kind === 'ratio') return parseRatio(raw);
  if (rule.kind === 'crop') return parseCrop(raw);
  return rule.kind === 'colour' ? parseColour(raw) : parseFormat(raw);
}

/** What a recipe sets, and what of it a query string may replace. */
interface OverridableSettings {
  readonly settings: ImageSettings;
  readonly allowOverride: ReadonlySet<SettingName>;
}

/**
 * Applies the parameters that `allowOverride` opens, by their long and short names; all others are ignored. Throws
 * PARAMETER_INVALID for a value that the setting cannot have and for a setting that is given twice.
 */
export function effectiveSettings(recipe: OverridableSettings, query: URLSearchParams): ImageSettings {
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
export function canonicalSettings(recipe: OverridableSettings, query: URLSearchParams): string | undefined {
  try {
    const settings = Object.entries(effectiveSettings(recipe, query));
    return JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1)));
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
