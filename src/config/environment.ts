// Parses environment variables: one setting each, or a whole group as a JSON object.

import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { describePlace, parseJsonText } from '../lib/json/json-syntax.ts';
import { findNearestName } from '../lib/nearest-name.ts';
import type { ConfigIssue, SettingIssue } from './config-file.ts';
import { flattenSettings, type SettingAssignment, unknownKeyIssue } from './flatten-settings.ts';
import type { SettingSchema, ValueSchema } from './schema/setting-schema.ts';
import {
  mapSetting,
  SETTING_GROUPS,
  SETTING_MAPS,
  SETTINGS,
  type Setting,
  type SettingGroupName,
} from './setting-names.ts';

const DECIMAL = /^[+-]?\d+(\.\d+)?$/;

type CoercedText = { readonly value: Json } | { readonly issue: string };

function coerceTo(schema: ValueSchema, text: string): CoercedText {
  switch (schema.type) {
    case 'boolean':
      if (text === 'true' || text === 'false') return { value: text === 'true' };
      return { issue: 'must be true or false' };
    case 'integer':
    case 'number':
      if (DECIMAL.test(text)) return { value: Number(text) };
      return { issue: schema.type === 'integer' ? 'must be a whole number' : 'must be a number' };
    case 'array':
      return { value: listOf(text) };
    case 'string':
      return { value: text };
  }
}

/** Items between commas; or a JSON list, for items that hold commas themselves. */
function listOf(text: string): Json {
  if (text === '') return [];
  if (text.startsWith('[')) {
    try {
      const value: Json = JSON.parse(text);
      if (Array.isArray(value)) return value;
    } catch {
      // An address of version 6 begins like that too.
    }
  }
  return text.split(',').map((item) => item.trim());
}

/** The value of `text`, or the message for text of another type. The validator checks limits. */
export function coerceText(leaf: SettingSchema, text: string): CoercedText {
  if (!('oneOf' in leaf)) return coerceTo(leaf, text);
  if (text === '') return { issue: leaf.expects };
  for (const alternative of leaf.oneOf) {
    const coerced = coerceTo(alternative, text);
    if ('value' in coerced) return coerced;
  }
  return { issue: leaf.expects };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The assignments of one source, and its issues before values are validated. */
export interface SettingSource {
  readonly assignments: readonly SettingAssignment[];
  readonly issues: readonly SettingIssue[];
}

interface EnvironmentSource extends SettingSource {
  readonly unknown: readonly SettingIssue[];
}

const BLOCK_NAMES: ReadonlySet<string> = new Set(SETTING_GROUPS.map(({ env }) => env));

const isObjectText = (text: string) => text.trimStart().startsWith('{');

/** Parses settings written as text, each with the name it was written under. */
export function parseSettingTexts(
  texts: readonly { readonly setting: Setting; readonly written: string; readonly text: string }[],
): SettingSource {
  const assignments: SettingAssignment[] = [];
  const issues: SettingIssue[] = [];
  for (const { setting, written, text } of texts) {
    const coerced = coerceText(setting.leaf, text);
    if ('issue' in coerced) issues.push({ written, message: coerced.issue });
    else assignments.push({ setting, written, value: coerced.value });
  }
  return { assignments, issues };
}

/** The object that a text is as JSON, or why it is none. */
function parseObject(text: string): { readonly value: JsonObject } | { readonly issue: string } {
  const parsed = parseJsonText(text);
  if ('error' in parsed) return { issue: `must be a JSON object: ${describePlace(parsed.error)}` };
  return isJsonObject(parsed.value) ? { value: parsed.value } : { issue: 'must be a JSON object' };
}

function fromGroup({ path, env: name, shorthand }: SettingGroupName, text: string): EnvironmentSource {
  // Any other text is a value of the setting that the group's name is a shorthand for.
  if (shorthand && !isObjectText(text)) return { assignments: [], issues: [], unknown: [] };
  const group = parseObject(text);
  if ('issue' in group) {
    const issue = { written: name, message: group.issue };
    return { assignments: [], issues: [issue], unknown: [] };
  }
  const nested = path.split('.').reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), group.value);
  const { assignments, issues, unknown } = flattenSettings(nested);
  const renamed = <T extends { readonly written: string }>(one: T): T => ({
    ...one,
    written: name + one.written.slice(path.length),
  });
  return {
    assignments: [...assignments.values()].map(renamed),
    issues: issues.map(renamed),
    unknown: unknown.map((key) => renamed(unknownKeyIssue(key))),
  };
}

/** All settings with fixed names, and the members of maps that are set. */
function settingsIn(env: Environment): readonly Setting[] {
  const members = SETTING_MAPS.flatMap((map) =>
    Object.keys(env).flatMap((name) =>
      name.startsWith(map.env) ? (mapSetting(map, name.slice(map.env.length)) ?? []) : [],
    ),
  );
  return [...SETTINGS, ...members];
}

/** Parses the environment. A variable of a setting takes precedence over one of its group. */
export function parseEnvironment(env: Environment): EnvironmentSource {
  const groups = SETTING_GROUPS.flatMap((group) => {
    const text = env[group.env];
    return text === undefined ? [] : [fromGroup(group, text)];
  });
  const isSet = (name: string) => {
    const text = env[name];
    return text !== undefined && !(BLOCK_NAMES.has(name) && isObjectText(text));
  };
  const single = parseSettingTexts(
    settingsIn(env).flatMap((setting) => {
      const written = setting.env.find(isSet);
      const text = written === undefined ? undefined : env[written];
      return written === undefined || text === undefined ? [] : [{ setting, written, text }];
    }),
  );
  return {
    assignments: [...groups, single].flatMap(({ assignments }) => assignments),
    issues: [...groups, single].flatMap(({ issues }) => issues),
    unknown: groups.flatMap(({ unknown }) => unknown),
  };
}

/** Finds variables that differ from a known one by a letter or two. */
export function findMisspeltVariables(env: Environment): ConfigIssue[] {
  const known = new Set([...settingsIn(env).flatMap((setting) => setting.env), ...BLOCK_NAMES]);
  return Object.keys(env).flatMap((name) => {
    // Short names are ignored: many are two letters apart, and orchestrators set some (`CLOISTER_PORT`).
    if (!name.startsWith('CLOISTER_') || name.length < 16 || name.length > 100 || known.has(name)) return [];
    const guess = findNearestName(name, known);
    return guess === undefined ? [] : [{ setting: name, message: `is ignored; did you mean ${guess}?` }];
  });
}
