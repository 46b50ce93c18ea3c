// Changes of the configuration file over HTTP: which an admin may make, and how they are merged into the file.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { redactConfig, settingValueAt } from './build-config.ts';
import type { SettingIssue } from './config-file.ts';
import {
  type FlatSettings,
  flattenSettings,
  type SettingAssignment,
  unknownKeyIssue,
} from './flatten-settings.ts';
import type { Config } from './schema.ts';
import { findPathTarget, type Setting } from './setting-names.ts';
import { REDACTED } from './validate-setting.ts';

/** Unknown keys that one response lists. */
const MAX_UNKNOWN = 20;

interface Change {
  readonly patch: JsonObject;
  /** The content of the file, and what it would become. */
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function whereSet({ leaf, env: [variable] }: Setting): string {
  return leaf.outsideFile === true ? `use a flag or ${variable}` : `set it in config.json or by ${variable}`;
}

const operatorOnly = (setting: Setting) => `cannot be changed over HTTP: ${whereSet(setting)}`;

/** The message if the file must not have this value; `value` is undefined if the setting would be removed. */
function valueIssue(setting: Setting, value: Json | undefined, running: Config): string | undefined {
  const { leaf, path } = setting;
  if (leaf.overHttp === 'any') return undefined;
  if (leaf.overHttp === undefined) return operatorOnly(setting);
  const max = settingValueAt(running, path);
  const next = value ?? leaf.default;
  // The validation of values rejects what is not a number.
  if (typeof next !== 'number' || typeof max !== 'number' || next <= max) return undefined;
  return `cannot be raised over HTTP above ${max}: ${whereSet(setting)}`;
}

type UnknownKey = FlatSettings['unknown'][number];

const unknownByName = (content: JsonObject): ReadonlyMap<string, UnknownKey> =>
  new Map(flattenSettings(content).unknown.map((key) => [`${key.parent}.${key.key}`, key]));

/** Unknown keys that the change sets, and those of the file that it would remove. */
function unknownIn({ patch, before, after }: Change): SettingIssue[] {
  const kept = unknownByName(after);
  const removed = [...unknownByName(before)].filter(([name]) => !kept.has(name));
  const forbidden = new Map([...unknownByName(patch), ...removed]);
  const unknown = [...forbidden.values()].slice(0, MAX_UNKNOWN).map(unknownKeyIssue);
  return '$schema' in patch ? [{ written: '$schema', message: 'is not a setting' }, ...unknown] : unknown;
}

/** The operator's settings that the change would take out of the file, whether or not they are in it: GET shows no null. */
function removedIssues(patch: JsonObject, parent = ''): SettingIssue[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = parent === '' ? key : `${parent}.${key}`;
    if (isJsonObject(value)) return removedIssues(value, path);
    const target = value === null ? findPathTarget(path) : undefined;
    const isOperatorOnly = target?.kind === 'setting' && target.setting.leaf.overHttp === undefined;
    return isOperatorOnly ? [{ written: path, message: operatorOnly(target.setting) }] : [];
  });
}

const groupOf = (path: string) => path.split('.', 1)[0] ?? '';

/**
 * The operator's settings that a change names one by one. Such a change is rejected, also where it keeps the value. A change
 * that sends back what GET shows names at least one whole group, and is accepted.
 */
function namedIssues(running: Config, posted: FlatSettings['assignments']): SettingIssue[] {
  const missing = [...flattenSettings(redactConfig(running)).assignments.keys()].filter(
    (path) => !posted.has(path),
  );
  const incomplete = new Set(missing.map(groupOf));
  const named = [...posted].filter(([, { setting, value }]) => {
    return setting.leaf.overHttp === undefined && !(setting.leaf.secret === true && value === REDACTED);
  });
  if (named.some(([path]) => !incomplete.has(groupOf(path)))) return [];
  return named.map(([, { setting, written }]) => ({ written, message: operatorOnly(setting) }));
}

/** The settings of a change that are not permitted, each named as it was posted, or as in the file where it would be removed. */
export function findForbiddenChanges(running: Config, change: Change): readonly SettingIssue[] {
  const before = flattenSettings(change.before).assignments;
  const after = flattenSettings(change.after).assignments;
  const posted = flattenSettings(change.patch).assignments;
  const issues = [...unknownIn(change), ...removedIssues(change.patch), ...namedIssues(running, posted)];
  const named = new Set(issues.map(({ written }) => written));
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(path), after.get(path)];
    if (old !== undefined && next !== undefined && isDeepStrictEqual(old.value, next.value)) continue;
    const { setting, written } = posted.get(path) ?? next ?? (old as SettingAssignment);
    const message = valueIssue(setting, next?.value, running);
    if (message !== undefined && !named.has(written)) issues.push({ written, message });
  }
  return issues;
}

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
  // There is nothing to take away; `findForbiddenChanges` decides about settings that are the operator's.
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
