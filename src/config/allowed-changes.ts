// Which changes of the configuration file an admin may make over HTTP. Only the operator makes all others.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { valueAt } from './build-config.ts';
import {
  type FlatSettings,
  flattenSettings,
  type SettingAssignment,
  type SettingIssue,
  unknownKeyIssue,
} from './flatten.ts';
import { redact } from './redact.ts';
import type { Config } from './schema.ts';
import { findTarget, type Setting } from './settings.ts';
import { REDACTED } from './validate.ts';

/** Unknown keys that one answer names. */
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

/** Why the file must not have this value; `value` is undefined where the setting would be removed from it. */
function refusal(setting: Setting, value: Json | undefined, running: Config): string | undefined {
  const { leaf, path } = setting;
  if (leaf.overHttp === 'any') return undefined;
  if (leaf.overHttp === undefined) return operatorOnly(setting);
  const most = valueAt(running, path);
  const next = value ?? leaf.default;
  // The check of values refuses what is no number.
  if (typeof next !== 'number' || typeof most !== 'number' || next <= most) return undefined;
  return `cannot be raised over HTTP above ${most}: ${whereSet(setting)}`;
}

type UnknownKey = FlatSettings['unknown'][number];

const unknownByName = (content: JsonObject): ReadonlyMap<string, UnknownKey> =>
  new Map(flattenSettings(content).unknown.map((key) => [`${key.parent}.${key.key}`, key]));

/** Unknown keys that the change sets, and those of the file that it would remove. */
function unknownIn({ patch, before, after }: Change): SettingIssue[] {
  const kept = unknownByName(after);
  const removed = [...unknownByName(before)].filter(([name]) => !kept.has(name));
  const refused = new Map([...unknownByName(patch), ...removed]);
  const unknown = [...refused.values()].slice(0, MAX_UNKNOWN).map(unknownKeyIssue);
  return '$schema' in patch ? [{ written: '$schema', message: 'is not a setting' }, ...unknown] : unknown;
}

/** The operator's settings that the change would take out of the file, whether or not they are in it: GET shows no null. */
function takenAway(patch: JsonObject, parent = ''): SettingIssue[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const path = parent === '' ? key : `${parent}.${key}`;
    if (isJsonObject(value)) return takenAway(value, path);
    const target = value === null ? findTarget(path) : undefined;
    const isOwn = target?.kind === 'setting' && target.setting.leaf.overHttp === undefined;
    return isOwn ? [{ written: path, message: operatorOnly(target.setting) }] : [];
  });
}

const blockOf = (path: string) => path.split('.', 1)[0] ?? '';

/**
 * The operator's settings that a change names by themselves. Who does so wants to set them, also to the value that they
 * have. Who sends back what GET shows does not: that is at least one of its blocks as a whole.
 */
function namedAlone(running: Config, posted: FlatSettings['assignments']): SettingIssue[] {
  const missing = [...flattenSettings(redact(running)).assignments.keys()].filter(
    (path) => !posted.has(path),
  );
  const incomplete = new Set(missing.map(blockOf));
  const named = [...posted].filter(([, { setting, value }]) => {
    return setting.leaf.overHttp === undefined && !(setting.leaf.secret === true && value === REDACTED);
  });
  if (named.some(([path]) => !incomplete.has(blockOf(path)))) return [];
  return named.map(([, { setting, written }]) => ({ written, message: operatorOnly(setting) }));
}

/** The settings of a change that are not permitted, each named as it was posted, or as in the file where it would be removed. */
export function findForbiddenChanges(running: Config, change: Change): readonly SettingIssue[] {
  const before = flattenSettings(change.before).assignments;
  const after = flattenSettings(change.after).assignments;
  const posted = flattenSettings(change.patch).assignments;
  const refused = [...unknownIn(change), ...takenAway(change.patch), ...namedAlone(running, posted)];
  const named = new Set(refused.map(({ written }) => written));
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(path), after.get(path)];
    if (old !== undefined && next !== undefined && isDeepStrictEqual(old.value, next.value)) continue;
    const { setting, written } = posted.get(path) ?? next ?? (old as SettingAssignment);
    const message = refusal(setting, next?.value, running);
    if (message !== undefined && !named.has(written)) refused.push({ written, message });
  }
  return refused;
}
