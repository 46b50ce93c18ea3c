// Carries the settings of one environment over: new settings for config.json, secrets for .env, and a line for each.
import { resolve } from 'node:path';
import { readOlderForms } from '../../config/older-settings.ts';
import { findPathTarget, findSetting, type Setting } from '../../config/setting-names.ts';
import { createSettingValidator, type ValidateSetting } from '../../config/validate-setting.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { named, type ReportSection } from '../report/report.ts';
import { API_RULES } from './api-rules.ts';
import { CDN_RULES } from './cdn-rules.ts';
import {
  type CarryRule,
  coerced,
  listSettings,
  type OlderSetting,
  type OlderSettings,
  type SettingsPlan,
  textValue,
  valueAt,
} from './settings-plan.ts';
import { withoutCounterpart } from './settings-without-counterpart.ts';
import { SHARED_RULES } from './shared-rules.ts';

export interface CarriedSettings {
  /** Values by the path of their setting. */
  readonly values: ReadonlyMap<string, Json>;
  /** Values by the name of their environment variable. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Settings that name files of the site, from its own folder on. */
const PATHS: ReadonlySet<string> = new Set([
  ...['images.directory.path', 'assets.directory.path', 'notFound.images.path', 'geolocation.countryDbPath'],
]);

function settingOf(path: string): Setting | undefined {
  const target = findPathTarget(path);
  return target?.kind === 'setting' ? target.setting : target?.shorthand;
}

function carryPath(plan: SettingsPlan, { path, value }: OlderSetting, setting: Setting): boolean {
  const text = textValue(value);
  if (!PATHS.has(setting.path) || text === undefined) return false;
  plan.set(setting.path, resolve(plan.older.root, text));
  plan.note(
    path,
    'changed',
    `now ${named(setting.path)}, with the whole path: move the files and the setting when the old folder goes`,
  );
  return true;
}

/** A setting of the same name, or of one that is read as another. */
function createSameName(validate: ValidateSetting): CarryRule {
  return (plan, older) => {
    const { path, value } = older;
    const setting = settingOf(path);
    if (setting === undefined || setting.leaf.outsideFile === true) return false;
    if (value === '' || value === null) {
      plan.note(path, 'changed', 'left out: it was empty');
      return true;
    }
    if (carryPath(plan, older, setting)) return true;
    const fitting = coerced(setting, value);
    const issue = validate(setting, fitting);
    if (issue !== undefined) {
      plan.note(path, 'hand', `left out: ${issue}`);
    } else if (setting.leaf.secret === true) {
      const variable = setting.env[0] ?? '';
      plan.setSecret(variable, String(fitting));
      plan.note(path, 'changed', `\`${variable}\` in \`.env\``);
    } else {
      plan.set(setting.path, fitting);
      const isSameName = setting.path === path || setting.path === `${path}.enabled`;
      if (!isSameName) plan.note(path, 'changed', `now ${named(setting.path)}`);
      else if (fitting === value) plan.note(path, 'kept');
      else plan.note(path, 'changed', 'as a number or a boolean, not as text');
    }
    return true;
  };
}

/** Takes out what no start would accept, and says so. */
function dropInvalid(values: Map<string, Json>, validate: ValidateSetting, section: ReportSection): void {
  for (const [path, value] of values) {
    const setting = findSetting(path);
    const issue = setting === undefined ? 'is not a setting' : validate(setting, value);
    if (issue === undefined) continue;
    values.delete(path);
    section.add(path, 'hand', `left out: ${issue}`);
  }
}

/** The ports of both listeners must differ. */
function separatePorts(values: Map<string, Json>): void {
  if (values.get('server.port') === 8082 && !values.has('delivery.port')) values.set('delivery.port', 8083);
}

/** Carries every setting over. `section` gets a line for each. */
export async function carrySettings(
  all: JsonObject,
  { server, root, readSettings }: Pick<OlderSettings, 'server' | 'root' | 'readSettings'>,
  section: ReportSection,
): Promise<CarriedSettings> {
  const values = new Map<string, Json>();
  const secrets = new Map<string, string>();
  const settings = readOlderForms(all);
  const plan: SettingsPlan = {
    older: { server, root, readSettings, all: settings, at: (path) => valueAt(settings, path) },
    set: (setting, value) => void values.set(setting, value),
    isSet: (name) => values.has(name) || secrets.has(name),
    setSecret: (variable, value) => void secrets.set(variable, value),
    note: (path, outcome, ...notes) => section.add(path, outcome, ...notes),
  };
  const validate = await createSettingValidator();
  const sameName = createSameName(validate);
  const own = server === 'api' ? API_RULES : CDN_RULES;
  const rules = [...SHARED_RULES, ...own, sameName, withoutCounterpart];
  for (const setting of listSettings(settings)) rules.some((rule) => rule(plan, setting));
  separatePorts(values);
  dropInvalid(values, validate, section);
  return { values, secrets };
}

/** A nested object of values by dotted paths, sorted. */
export function nestedSettings(values: ReadonlyMap<string, Json>): JsonObject {
  const root: { [name: string]: unknown } = {};
  for (const [path, value] of [...values].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let block = root;
    for (const name of names) {
      block[name] ??= {};
      block = block[name] as { [member: string]: unknown };
    }
    block[last] = value;
  }
  return root as JsonObject;
}
