// The settings as a flat list, and all names of each in files and variables.
import {
  isSettingGroup,
  isSettingMap,
  type SettingGroup,
  type SettingMap,
  type SettingSchema,
} from './schema/setting-schema.ts';
import { CONFIG_SCHEMA } from './schema.ts';

export interface Setting {
  /** Dotted path in the configuration: `auth.tokenTtl`. */
  readonly path: string;
  readonly leaf: SettingSchema;
  /** Environment variables, the first that is set wins. */
  readonly env: readonly string[];
}

/** What a dotted path in a file means: one setting, or a group of them (with what a bare boolean stands for). */
export type PathTarget =
  | { readonly kind: 'setting'; readonly setting: Setting }
  | { readonly kind: 'group'; readonly shorthand: Setting | undefined };

function envName(keys: readonly string[]): string {
  const words = keys.map((key) => key.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase());
  return ['CLOISTER', ...words].join('_');
}

function settingOf(leaf: SettingSchema, keys: readonly string[], parent: SettingGroup): Setting {
  const names = [envName(keys)];
  if (parent.shorthand !== undefined && parent.shorthand === keys.at(-1)) {
    names.push(envName(keys.slice(0, -1)));
  }
  return { path: keys.join('.'), leaf, env: [...names, ...(leaf.env ?? [])] };
}

function listSettings(group: SettingGroup, keys: readonly string[]): Setting[] {
  return Object.entries(group.properties).flatMap(([key, node]) => {
    if (isSettingMap(node)) return [];
    return isSettingGroup(node)
      ? listSettings(node, [...keys, key])
      : [settingOf(node, [...keys, key], group)];
  });
}

/** Every setting whose name is fixed, in the order of the schema. */
export const SETTINGS: readonly Setting[] = listSettings(CONFIG_SCHEMA, []);

/** A group that one variable can set as a whole, in JSON. */
export interface SettingGroupName {
  readonly path: string;
  readonly env: string;
  /** A bare boolean may stand for it. */
  readonly shorthand: boolean;
}

function listGroups(group: SettingGroup, keys: readonly string[]): SettingGroupName[] {
  return Object.entries(group.properties).flatMap(([key, node]) => {
    const path = [...keys, key];
    const named = { path: path.join('.'), env: envName(path) };
    if (isSettingMap(node)) return [{ ...named, shorthand: false }];
    if (!isSettingGroup(node)) return [];
    return [{ ...named, shorthand: node.shorthand !== undefined }, ...listGroups(node, path)];
  });
}

/** Every group and map, the outer ones first. */
export const SETTING_GROUPS: readonly SettingGroupName[] = listGroups(CONFIG_SCHEMA, []);

/** How a map of settings is named: its path in a file, and the variables of its members. */
export interface SettingMapName {
  readonly path: string;
  /** What the variable of a member begins with, its `_` included. */
  readonly env: string;
  readonly node: SettingMap;
}

function listMaps(group: SettingGroup, keys: readonly string[]): SettingMapName[] {
  return Object.entries(group.properties).flatMap(([key, node]) => {
    const path = [...keys, key];
    if (isSettingMap(node)) return [{ path: path.join('.'), env: `${envName(path)}_`, node }];
    return isSettingGroup(node) ? listMaps(node, path) : [];
  });
}

export const SETTING_MAPS: readonly SettingMapName[] = listMaps(CONFIG_SCHEMA, []);

/** The setting of this name in a map; none when the name is not allowed there. */
export function mapSetting({ path, env, node }: SettingMapName, name: string): Setting | undefined {
  if (!new RegExp(node.propertyNames.pattern).test(name)) return undefined;
  return { path: `${path}.${name}`, leaf: node.additionalProperties, env: [env + name] };
}

const BY_PATH = new Map(SETTINGS.map((setting) => [setting.path, setting]));

function memberAt(path: string): Setting | undefined {
  const map = SETTING_MAPS.find((one) => path.startsWith(`${one.path}.`));
  return map === undefined ? undefined : mapSetting(map, path.slice(map.path.length + 1));
}

/** The setting at a canonical path, if there is one. */
export function findSetting(path: string): Setting | undefined {
  return BY_PATH.get(path) ?? memberAt(path);
}

function addLeaf(targets: Map<string, PathTarget>, written: string, setting: Setting): void {
  targets.set(written, { kind: 'setting', setting });
  for (const alias of setting.leaf.aliases ?? []) {
    targets.set(alias, { kind: 'setting', setting });
    for (let dot = alias.lastIndexOf('.'); dot > 0; dot = alias.lastIndexOf('.', dot - 1)) {
      const parent = alias.slice(0, dot);
      if (!targets.has(parent)) targets.set(parent, { kind: 'group', shorthand: undefined });
    }
  }
}

function addBlock(
  targets: Map<string, PathTarget>,
  group: SettingGroup,
  at: { written: string; path: string },
): void {
  const shorthand = group.shorthand === undefined ? undefined : findSetting(`${at.path}.${group.shorthand}`);
  targets.set(at.written, { kind: 'group', shorthand });
  for (const [key, node] of Object.entries(group.properties)) {
    const path = at.path === '' ? key : `${at.path}.${key}`;
    const written = at.written === '' ? key : `${at.written}.${key}`;
    const setting = findSetting(path);
    if (setting !== undefined) addLeaf(targets, written, setting);
    if (isSettingMap(node)) targets.set(written, { kind: 'group', shorthand: undefined });
    if (!isSettingGroup(node)) continue;
    for (const name of [written, ...(node.aliases ?? [])]) addBlock(targets, node, { written: name, path });
  }
}

function indexTargets(): ReadonlyMap<string, PathTarget> {
  const targets = new Map<string, PathTarget>();
  addBlock(targets, CONFIG_SCHEMA, { written: '', path: '' });
  return targets;
}

/** Every fixed dotted path that a file may use, aliases included. The root is the empty path. */
export const PATH_TARGETS = indexTargets();

/** What a dotted path in a file means, members of maps included. */
export function findPathTarget(written: string): PathTarget | undefined {
  const target = PATH_TARGETS.get(written);
  if (target !== undefined) return target;
  const setting = memberAt(written);
  return setting === undefined ? undefined : { kind: 'setting', setting };
}
