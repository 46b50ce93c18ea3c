// Parses the `settings` block of a specification: every known setting is checked, every absent one gets its default.

import { isHttpMethod } from '../../lib/http/methods.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import { insideFilter, insideNames, insideSort } from '../internals/internal-names.ts';
import {
  type CollectionAddress,
  type CollectionSettings,
  type Field,
  HOOK_EVENTS,
  type HookEvent,
  type HookPlan,
  type HookUse,
} from '../model/collection.ts';
import { RECORD_PATH_INDEX } from '../model/media-record-fields.ts';
import { isComposeDepth } from '../model/read-parameters.ts';
import { REVISION_MEMBERS } from '../model/stored-document.ts';
import { collectionNameIssue } from './collection-address.ts';
import { parseIndexes } from './index-definitions.ts';
import type { IssueCollector } from './issue-collector.ts';
import { warnUnknown } from './near-misses.ts';
import { parseAccessRules, warnOfOpenAccess } from './parse-access.ts';

const DEFAULT_PAGE_SIZE = 40;
const CALLBACK = /^[A-Za-z]{1,100}$/;
const MEDIA_TYPES = ['media', 'mediaCollection'];
const BOOLEAN_SETTINGS = ['cache', 'storeRevisions', 'signUploads'];

/** How clients know the internals. */
const INTERNALS: readonly Json[] = ['plain', 'underscored'];

type Check = (value: Json) => string | undefined;

const isMethod = (value: Json): value is string =>
  typeof value === 'string' && isHttpMethod(value.toUpperCase());
const checkBoolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const checkText: Check = (value) => (typeof value === 'string' ? undefined : 'must be text');
const allowNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value);

const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(BOOLEAN_SETTINGS.map((name) => [name, checkBoolean])),
  compose: (value) =>
    isComposeDepth(value) ? undefined : 'must be true or false, a number of levels, or `all`',
  authenticate: (value) =>
    typeof value === 'boolean' || (Array.isArray(value) && value.every(isMethod))
      ? undefined
      : 'must be true, false or a list of HTTP methods',
  callback: allowNull((value) =>
    typeof value === 'string' && CALLBACK.test(value) ? undefined : 'must be 1 to 100 letters, or null',
  ),
  count: (value) =>
    Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number from 1',
  sort: allowNull(checkText),
  sortOrder: (value) => (parseDirection(value) === undefined ? 'must be 1, -1, `asc` or `desc`' : undefined),
  defaultFilters: allowNull((value) => (isJsonObject(value) ? undefined : 'must be an object or null')),
  fieldLimiters: allowNull((value) =>
    isJsonObject(value) && Object.values(value).every((entry) => entry === 0 || entry === 1)
      ? undefined
      : 'must be an object of field names with 1 or 0, or null',
  ),
  revisionCollection: allowNull(checkText),
  type: allowNull(checkText),
  displayName: allowNull(checkText),
  internals: allowNull((value) =>
    INTERNALS.includes(value) ? undefined : 'must be `plain` or `underscored`',
  ),
};

/** `lastModifiedAt` is written by the server. */
export const KNOWN_SETTINGS = [...Object.keys(CHECKS), 'access', 'index', 'hooks', 'lastModifiedAt'];

function parseDirection(value: Json | undefined): 1 | -1 | undefined {
  const name = typeof value === 'string' ? value.toLowerCase() : value;
  if (name === 1 || name === 'asc') return 1;
  return name === -1 || name === 'desc' ? -1 : undefined;
}

/** True when a limiter includes some fields and excludes others; `_id` may be excluded from either. */
export function mixesInclusion(limiter: Readonly<Record<string, 0 | 1>>): boolean {
  const values = Object.entries(limiter).filter(([name]) => name !== '_id');
  return values.some(([, value]) => value === 0) && values.some(([, value]) => value === 1);
}

/** True for the `settings` block of a media collection. */
export function isMediaSettings({ type }: JsonObject): boolean {
  return typeof type === 'string' && MEDIA_TYPES.includes(type);
}

function parseAuthenticate(value: Json | undefined): boolean | readonly string[] {
  if (!Array.isArray(value)) return value !== false;
  const methods = value.filter(isMethod).map((method) => method.toUpperCase());
  return [...new Set(methods.map((method) => (method === 'HEAD' ? 'GET' : method)))];
}

function parseRevisionCollection(
  source: JsonObject,
  address: CollectionAddress,
  report: IssueCollector,
): string {
  const sent = source['revisionCollection'];
  const name = typeof sent === 'string' ? sent : `${address.name}History`;
  // Whatever else may be wrong with a name that follows from the collection's own is wrong with that one.
  const follows =
    typeof sent !== 'string' && collectionNameIssue(address.name, address.database) !== undefined;
  if (follows || (typeof sent !== 'string' && source['storeRevisions'] !== true)) return name;
  const problem = collectionNameIssue(name, address.database);
  if (problem !== undefined) report.settingIssue('revisionCollection', problem);
  else if (name === address.name)
    report.settingIssue('revisionCollection', 'must not be the collection itself');
  return name;
}

function checkSettings(source: JsonObject, report: IssueCollector): void {
  warnUnknown(report, 'settings', source, KNOWN_SETTINGS);
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = source[name];
    const problem = value === undefined ? undefined : check(value);
    if (problem !== undefined) report.settingIssue(name, problem);
  }
  const type = source['type'];
  if (typeof type === 'string' && !MEDIA_TYPES.includes(type)) {
    report.warn('settings.type', `only \`media\` has a meaning here${didYouMean(type, MEDIA_TYPES)}`);
  }
}

function warnAboutCombinations(settings: CollectionSettings, report: IssueCollector): void {
  const { sort, indexes, fieldLimiters, media, signUploads } = settings;
  warnOfOpenAccess(settings, report);
  if (signUploads && !media) {
    report.warn('settings.signUploads', 'has no effect: `settings.type` is not `media`');
  }
  if (sort !== null && sort !== '_id' && !indexes.some(({ keys }) => keys[0]?.path === sort)) {
    report.warn('settings.sort', `no index begins with \`${sort.slice(0, 100)}\`, so sorting is slow`);
  }
  if (fieldLimiters !== null && mixesInclusion(fieldLimiters)) {
    report.warn('settings.fieldLimiters', 'mixes 1 and 0: every read will fail');
  }
}

/** True where clients know the internals with an underscore. */
export function isUnderscored({ internals }: JsonObject): boolean {
  return internals === 'underscored';
}

/** The block with the names of internals as the server has them, in all that names fields. */
function withInsideNames(source: JsonObject, fields: ReadonlyMap<string, Field>): JsonObject {
  if (!isUnderscored(source)) return source;
  const of = { fields };
  const { sort, defaultFilters, fieldLimiters, index } = source;
  const insideIndex = (entry: Json): Json =>
    isJsonObject(entry) && isJsonObject(entry['keys'])
      ? { ...entry, keys: insideNames(entry['keys'], of) }
      : entry;
  return {
    ...source,
    ...(typeof sort === 'string' && { sort: insideSort(sort, of) }),
    ...(defaultFilters !== undefined && { defaultFilters: insideFilter(defaultFilters, of) }),
    ...(isJsonObject(fieldLimiters) && { fieldLimiters: insideNames(fieldLimiters, of) }),
    ...(index !== undefined && {
      index: Array.isArray(index) ? (index as readonly Json[]).map(insideIndex) : insideIndex(index),
    }),
  };
}

/** Reads a `settings` block. What is wrong goes into `report`; the result is only meant for use when nothing is. */
export function parseSettings(
  given: JsonObject,
  {
    address,
    fields,
    report,
  }: {
    /** With the name under which the documents are stored. */
    readonly address: CollectionAddress;
    readonly fields: ReadonlyMap<string, Field>;
    readonly report: IssueCollector;
  },
): CollectionSettings {
  const source = withInsideNames(given, fields);
  checkSettings(source, report);
  const { compose = false } = source;
  const textOf = (name: string) => (typeof source[name] === 'string' ? source[name] : null);
  const objectOf = (name: string) => (isJsonObject(source[name]) ? source[name] : null);
  const settings: CollectionSettings = {
    cache: source['cache'] !== false,
    access: parseAccessRules(source['access'], fields, report),
    authenticate: parseAuthenticate(source['authenticate']),
    callback: textOf('callback'),
    pageSize: typeof source['count'] === 'number' ? source['count'] : DEFAULT_PAGE_SIZE,
    sort: textOf('sort'),
    sortOrder: parseDirection(source['sortOrder']) ?? 1,
    defaultFilters: objectOf('defaultFilters'),
    fieldLimiters: objectOf('fieldLimiters') as CollectionSettings['fieldLimiters'],
    storeRevisions: source['storeRevisions'] === true,
    revisionCollection: parseRevisionCollection(source, address, report),
    indexes: parseIndexes(
      source['index'],
      fields,
      report,
      isMediaSettings(source) ? [RECORD_PATH_INDEX] : [],
    ),
    compose: isComposeDepth(compose) ? compose : false,
    media: isMediaSettings(source),
    signUploads: source['signUploads'] === true,
    underscored: isUnderscored(source),
    displayName: textOf('displayName'),
    hooks: parseHookPlan(source['hooks'], report),
  };
  warnAboutCombinations(settings, report);
  if (settings.access !== null && source['authenticate'] !== undefined) {
    report.warn('settings.authenticate', 'has no effect beside `settings.access`, whose rules decide');
  }
  for (const name of settings.storeRevisions ? REVISION_MEMBERS.filter((member) => fields.has(member)) : []) {
    report.warn(`fields.${name}`, 'revisions use this name themselves: they do not keep the field');
  }
  return settings;
}

/** Hooks of one event run one after the other while a client waits. */
const MAX_HOOKS = 20;
const HOOK_NAME = /^[A-Za-z0-9_-]{1,100}$/;
const HOOK_MEMBERS: ReadonlySet<string> = new Set(['hook', 'options']);
const HOOK_EVENT_NAMES: ReadonlySet<string> = new Set(HOOK_EVENTS);

const isEvent = (name: string): name is HookEvent => HOOK_EVENT_NAMES.has(name);

function parseHookUse(entry: Json): HookUse | undefined {
  if (typeof entry === 'string')
    return HOOK_NAME.test(entry) ? { name: entry, options: undefined } : undefined;
  if (!isJsonObject(entry) || !Object.keys(entry).every((key) => HOOK_MEMBERS.has(key))) return undefined;
  const { hook, options } = entry;
  return typeof hook === 'string' && HOOK_NAME.test(hook) ? { name: hook, options } : undefined;
}

function parseHookUses(event: HookEvent, list: Json, report: IssueCollector): readonly HookUse[] {
  if (!Array.isArray(list)) {
    report.settingIssue('hooks', `${event} must be a list of hooks`);
    return [];
  }
  if (list.length > MAX_HOOKS) report.settingIssue('hooks', `${event} must have at most ${MAX_HOOKS} hooks`);
  return list.slice(0, MAX_HOOKS).flatMap((entry: Json, index) => {
    const use = parseHookUse(entry);
    if (use !== undefined) return [use];
    const shape = 'the name of a hook, or {"hook": name, "options": …}';
    report.settingIssue('hooks', `${event}: item ${index + 1} must be ${shape}`);
    return [];
  });
}

/** The plan; null when no hook is named. What is wrong goes into `report`, events that do not exist as warnings. */
export function parseHookPlan(source: Json | undefined, report: IssueCollector): HookPlan | null {
  if (source === undefined || source === null) return null;
  if (!isJsonObject(source)) {
    report.settingIssue('hooks', 'must be an object of events with lists of hooks');
    return null;
  }
  const plan: Partial<Record<HookEvent, readonly HookUse[]>> = {};
  for (const [event, list] of Object.entries(source)) {
    if (!isEvent(event)) {
      report.warn('settings.hooks', `\`${event.slice(0, 100)}\` is no event: ${HOOK_EVENTS.join(', ')} are`);
      continue;
    }
    const uses = parseHookUses(event, list, report);
    if (uses.length > 0) plan[event] = uses;
  }
  return Object.keys(plan).length === 0 ? null : plan;
}
