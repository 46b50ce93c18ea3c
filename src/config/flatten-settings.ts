// Flattens a configuration object, as written by a person or a client, into settings, and reports unknown keys.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { findNearestName } from '../lib/nearest-name.ts';
import type { SettingIssue } from './config-file.ts';
import { readOlderForms } from './older-settings.ts';
import {
  findPathTarget,
  PATH_TARGETS,
  type PathTarget,
  SETTING_MAPS,
  type Setting,
} from './setting-names.ts';

/** The value of a setting, with the name under which it was written. */
export interface SettingAssignment {
  readonly setting: Setting;
  readonly value: Json;
  readonly written: string;
}

interface UnknownKey {
  /** Dotted path of its group, empty for the root. */
  readonly parent: string;
  readonly key: string;
}

export interface FlatSettings {
  /** By canonical path. */
  readonly assignments: ReadonlyMap<string, SettingAssignment>;
  readonly issues: readonly SettingIssue[];
  readonly unknown: readonly UnknownKey[];
}

interface Collector {
  readonly assignments: Map<string, SettingAssignment>;
  readonly issues: SettingIssue[];
  readonly unknown: UnknownKey[];
}

/** The issue of an unknown key, with the name that was probably meant. */
export function unknownKeyIssue({ parent, key }: UnknownKey): SettingIssue {
  const prefix = parent === '' ? '' : `${parent}.`;
  const siblings = [...PATH_TARGETS.keys()].filter(
    (path) => path !== '' && path.startsWith(prefix) && !path.slice(prefix.length).includes('.'),
  );
  const written = prefix + key;
  const map = SETTING_MAPS.find(({ path }) => path === parent);
  if (map !== undefined) return { written, message: `is not a setting: names are ${map.node.named}` };
  const guess = findNearestName(written, siblings);
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  return { written, message: `is not a setting${hint}` };
}

function assign(into: Collector, assignment: SettingAssignment): void {
  const earlier = into.assignments.get(assignment.setting.path);
  if (earlier === undefined) {
    into.assignments.set(assignment.setting.path, assignment);
    return;
  }
  if (isDeepStrictEqual(earlier.value, assignment.value)) return;
  into.issues.push({
    written: assignment.written,
    message: `is another name of ${earlier.written}, which is set to something else`,
  });
}

function enterGroup(into: Collector, value: Json, at: { written: string; target: PathTarget }): void {
  const shorthand = at.target.kind === 'group' ? at.target.shorthand : undefined;
  if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) enterMember(into, member, { parent: at.written, key });
  } else if (shorthand !== undefined && typeof value === 'boolean') {
    assign(into, { setting: shorthand, value, written: at.written });
  } else {
    const choice = shorthand === undefined ? 'an object' : 'an object, true or false';
    into.issues.push({ written: at.written, message: `must be ${choice}` });
  }
}

function enterMember(into: Collector, value: Json, at: { parent: string; key: string }): void {
  const written = at.parent === '' ? at.key : `${at.parent}.${at.key}`;
  if (written === '$schema') return;
  const target = at.key.includes('.') || at.key === '' ? undefined : findPathTarget(written);
  if (target === undefined) {
    into.unknown.push(at);
  } else if (target.kind === 'group') {
    enterGroup(into, value, { written, target });
  } else if (value !== null || target.setting.leaf.default !== undefined) {
    assign(into, { setting: target.setting, value, written });
  }
}

/** Flattens a configuration object. `null` leaves a setting without a default unset. */
export function flattenSettings(settings: JsonObject): FlatSettings {
  const into: Collector = { assignments: new Map(), issues: [], unknown: [] };
  for (const [key, value] of Object.entries(readOlderForms(settings)))
    enterMember(into, value, { parent: '', key });
  return into;
}
