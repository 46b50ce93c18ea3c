// What of the older settings goes where: collects the new settings, the secrets, and one line for each old setting.

import type { Setting } from '../../config/setting-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Outcome } from '../report/report.ts';

/** Which of the older servers a site is of. */
export type ServerKind = 'api' | 'cdn';

export interface OlderSetting {
  /** Dotted, as it was written. */
  readonly path: string;
  readonly value: Json;
}

/** The older settings of one environment, before and while they are carried over. */
export interface OlderSettings {
  readonly server: ServerKind;
  /** Absolute path of the site: what was relative began there. */
  readonly root: string;
  readonly all: JsonObject;
  /** Names of settings that policies have the values of. */
  readonly readSettings: ReadonlySet<string>;
  /** The value at a dotted path. */
  at(path: string): Json | undefined;
}

/** Secrets are never said: notes name settings, and values that may be shown. */
export interface SettingsPlan {
  readonly older: OlderSettings;
  set(setting: string, value: Json): void;
  isSet(setting: string): boolean;
  setSecret(variable: string, value: string): void;
  note(path: string, outcome: Outcome, ...notes: readonly string[]): void;
}

/** Carries over what it knows of one older setting. False: it does not know it. */
export type CarryRule = (plan: SettingsPlan, setting: OlderSetting) => boolean;

function collect(value: Json, path: string, found: OlderSetting[]): void {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  if (members.length === 0) found.push({ path, value });
  for (const [name, member] of members) collect(member, path === '' ? name : `${path}.${name}`, found);
}

/** Every setting with its path, in the order in which they are written. */
export function listSettings(all: JsonObject): readonly OlderSetting[] {
  const found: OlderSetting[] = [];
  for (const [name, value] of Object.entries(all)) collect(value, name, found);
  return found;
}

/** The value at a dotted path of own members. */
export function valueAt(all: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = all;
  for (const name of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** True at and below a dotted path. */
export const isBelow = (path: string, parent: string) => path === parent || path.startsWith(`${parent}.`);

/** True for `true`, and for the texts that older configurations have in its place. */
export const isOn = (value: Json | undefined) =>
  value === true || value === 'true' || value === 1 || value === '1';

/** The text of a value that is text or a number and not empty. */
export function textValue(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A whole number, also where it was written as text. */
export function numberValue(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The value in the type of a setting: numbers and booleans may have been written as text. */
export function coerced({ leaf }: Setting, value: Json): Json {
  const type = 'oneOf' in leaf ? undefined : leaf.type;
  if (type === 'integer' || type === 'number') return numberValue(value) ?? value;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return type === 'string' && typeof value === 'number' ? String(value) : value;
}
