// Index definitions: read from `settings.index`, and united over the collections that share documents.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Direction, IndexDefinition, IndexKey } from '../../stores/ports.ts';
import { type Collection, type Field, INTERNAL_FIELDS } from '../model/collection.ts';
import type { IssueCollector } from './issue-collector.ts';
import { warnUnknown } from './near-misses.ts';

// The narrowest bounds of any store (the index on `_id` counts), so that a specification works on all.
const MAX_INDEXES = 63;
const MAX_KEYS = 31;
const MAX_NAME = 127;
const MAX_PATH = 500;
export const INDEX_MEMBERS = ['keys', 'options', 'enabled'];
/** Those that have an effect. */
export const INDEX_OPTIONS = ['unique', 'sparse', 'background', 'name'];

type Fields = ReadonlyMap<string, Field>;

interface IndexOptions {
  readonly unique?: Json;
  readonly sparse?: Json;
  readonly name?: Json;
  readonly partialFilterExpression?: Json;
}

const derivedName = (keys: readonly IndexKey[]) =>
  keys.map(({ path, direction }) => `${path}_${direction}`).join('_');

const isPath = (path: string) =>
  path.length <= MAX_PATH &&
  !path.includes('\0') &&
  path.split('.').every((part) => part !== '' && part !== '__proto__' && !part.startsWith('$'));

const isDirection = (value: Json): value is Direction => value === 1 || value === -1;

function parseKeys(
  source: Json | undefined,
  fields: Fields,
  report: IssueCollector,
): readonly IndexKey[] | undefined {
  const entries = isJsonObject(source) ? Object.entries(source) : [];
  if (entries.length === 0 || entries.length > MAX_KEYS) {
    report.settingIssue('index', `\`keys\` must be an object of 1 to ${MAX_KEYS} field names`);
    return undefined;
  }
  for (const [path, direction] of entries) {
    const [head = ''] = path.split('.');
    if (!isPath(path)) report.settingIssue('index', `\`keys\` has a name that no field can have`);
    else if (!fields.has(head) && !INTERNAL_FIELDS.includes(head)) {
      report.warn('settings.index', `\`${path}\` is no field of this collection`);
    }
    if (!isDirection(direction)) {
      report.warn('settings.index', `the index on \`${path}\` has no effect: only 1 and -1 are supported`);
    }
  }
  if (!entries.every(([, direction]) => isDirection(direction))) return undefined;
  return entries.map(([path, direction]) => ({
    path,
    direction: direction as Direction,
  }));
}

function checkOptions(options: JsonObject, report: IssueCollector): void {
  for (const flag of ['unique', 'sparse']) {
    const value = options[flag];
    if (value !== undefined && typeof value !== 'boolean') {
      report.settingIssue('index', `\`options.${flag}\` must be true or false`);
    }
  }
  const { name, unique, partialFilterExpression } = options as IndexOptions;
  const nameFits = typeof name === 'string' && name !== '' && name !== '_id_' && !name.includes('\0');
  if (name !== undefined && !(nameFits && Buffer.byteLength(name) <= MAX_NAME)) {
    report.settingIssue(
      'index',
      `\`options.name\` must be a text of 1 to ${MAX_NAME} bytes, and not \`_id_\``,
    );
  }
  if (unique === true && partialFilterExpression !== undefined) {
    report.settingIssue('index', '`options.unique` and `options.partialFilterExpression` do not go together');
  }
  for (const option of Object.keys(options).filter((key) => !INDEX_OPTIONS.includes(key))) {
    report.warn('settings.index', `\`options.${option.slice(0, 100)}\` has no effect`);
  }
}

function parseIndex(source: Json, fields: Fields, report: IssueCollector): IndexDefinition | undefined {
  if (!isJsonObject(source)) {
    report.settingIssue('index', 'each index must be an object with `keys`');
    return undefined;
  }
  warnUnknown(report, 'settings.index', source, INDEX_MEMBERS);
  const { enabled, keys: sentKeys, options: sentOptions } = source as Record<string, Json | undefined>;
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    report.settingIssue('index', '`enabled` must be true or false');
  }
  if (enabled === false) return undefined;
  if (sentOptions !== undefined && sentOptions !== null && !isJsonObject(sentOptions)) {
    report.settingIssue('index', '`options` must be an object');
    return undefined;
  }
  const options = sentOptions ?? {};
  checkOptions(options, report);
  const keys = parseKeys(sentKeys, fields, report);
  if (keys === undefined || (keys.length === 1 && keys[0]?.path === '_id')) return undefined;
  const { name, unique, sparse } = options as IndexOptions;
  return {
    name: typeof name === 'string' ? name : derivedName(keys),
    keys,
    unique: unique === true,
    sparse: sparse === true,
  };
}

/**
 * Reads `settings.index`, a list or one object, and adds the indexes that the kind of collection implies. What is wrong goes
 * into `report`.
 */
export function parseIndexes(
  source: Json | undefined,
  fields: Fields,
  report: IssueCollector,
  implied: readonly IndexDefinition[] = [],
): readonly IndexDefinition[] {
  if (source === undefined || source === null) return mergeByKeys(implied);
  if (!Array.isArray(source) && !isJsonObject(source)) {
    report.settingIssue('index', 'must be a list of indexes or one index');
    return [];
  }
  const list = (Array.isArray(source) ? source : [source]) as readonly Json[];
  const maxDeclared = MAX_INDEXES - implied.length;
  if (list.length > maxDeclared) {
    report.settingIssue('index', `has more than ${maxDeclared} indexes`);
    return [];
  }
  const parsed = list
    .map((entry) => parseIndex(entry, fields, report))
    .filter((entry) => entry !== undefined);
  return mergeByKeys([...parsed, ...implied]);
}

// Two declarations of the same keys are one index that keeps every promise of both.
function mergeTwo(a: IndexDefinition, b: IndexDefinition): IndexDefinition {
  const constraining = a.unique === b.unique ? [a, b] : [a.unique ? a : b];
  return {
    name: a.name,
    keys: a.keys,
    unique: a.unique || b.unique,
    sparse: constraining.every(({ sparse }) => sparse),
  };
}

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}_${number}`)) number += 1;
  return `${wanted}_${number}`;
}

function mergeByKeys(definitions: readonly IndexDefinition[]): readonly IndexDefinition[] {
  const byKeys = new Map<string, IndexDefinition>();
  for (const definition of definitions) {
    const signature = JSON.stringify(definition.keys.map(({ path, direction }) => [path, direction]));
    const known = byKeys.get(signature);
    byKeys.set(signature, known === undefined ? definition : mergeTwo(known, definition));
  }
  const taken = new Set<string>();
  return [...byKeys.values()].map((definition) => {
    const name = uniqueName(definition.name, taken);
    taken.add(name);
    return { ...definition, name };
  });
}

/** The indexes that the collections of one namespace declare together, and those that the server adds to them. */
export function mergeIndexes(
  collections: readonly Collection[],
  added: readonly IndexDefinition[] = [],
): readonly IndexDefinition[] {
  return mergeByKeys([...collections.flatMap(({ settings }) => settings.indexes), ...added]);
}
