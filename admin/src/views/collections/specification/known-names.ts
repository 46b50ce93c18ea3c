// The names that a specification may have at each of its places, for completion and for warnings about slips.
import { FIELD_TYPES } from '../fields/field.ts';

export type Names = Readonly<Record<string, string>>;

const TOP: Names = { fields: 'what its documents hold', settings: 'how the collection behaves' };

export const FIELD_NAMES: Names = {
  type: 'what values it takes',
  required: 'true: a document must have a value',
  default: 'the value of new documents without one',
  validation: 'rules for length and form',
  message: 'what the error says when a value is refused',
  matchType: '"exact" or "ignoreCase"',
  settings: 'where a Reference leads',
  access: 'who may read and write it',
  label: 'its name for people',
  comments: 'its explanation for people',
  example: 'an example value',
  placement: 'the group of the form, or "sidebar"',
  display: 'whether lists (index) and forms (edit) show it',
};

export const SETTING_NAMES: Names = {
  access: 'who may do what',
  authenticate: 'without access: which methods need a token',
  cache: 'whether answers may be cached',
  callback: 'name of the function for JSONP',
  compose: 'whether reads put documents in the place of references',
  count: 'documents of a page',
  defaultFilters: 'a filter for every read',
  displayName: 'the name that lists show',
  fieldLimiters: 'fields that reads show (1) or leave out (0)',
  hooks: 'code before and after reads and writes',
  index: 'indexes',
  internals: 'how clients name createdAt, v and the like: plain or underscored',
  lastModifiedAt: 'written by the server',
  revisionCollection: 'where revisions are kept',
  signUploads: 'of media: only signed uploads',
  sort: 'the field by which lists are ordered',
  sortOrder: '1 ascending, -1 descending',
  storeRevisions: 'whether every state of a document is kept',
  type: '"media" for files',
};

const named = (...names: readonly string[]): Names => Object.fromEntries(names.map((name) => [name, '']));
const EVENTS = ['Create', 'Get', 'Update', 'Delete'].flatMap((event) => [`before${event}`, `after${event}`]);
const ACTIONS = named('read', 'create', 'update', 'delete', 'history');
const INDEX = named('keys', 'options', 'enabled');
const INDEX_OPTIONS = named('unique', 'sparse', 'background', 'name');

/** Paths by their segments; `*` is any one. */
const PLACES: readonly (readonly [path: string, names: Names])[] = [
  ['', TOP],
  ['fields.*', FIELD_NAMES],
  ['fields.*.validation', named('minLength', 'maxLength', 'regex')],
  ['fields.*.validation.regex', named('pattern', 'flags')],
  ['fields.*.settings', named('database', 'collection', 'fields', 'compose', 'multiple')],
  ['fields.*.display', named('index', 'edit')],
  ['fields.*.access', named('read', 'write')],
  ['settings', SETTING_NAMES],
  ['settings.index', INDEX],
  ['settings.index.*', INDEX],
  ['settings.index.options', INDEX_OPTIONS],
  ['settings.index.*.options', INDEX_OPTIONS],
  ['settings.hooks', named(...EVENTS)],
  ['settings.hooks.*.*', named('hook', 'options')],
  ['settings.access', ACTIONS],
  ['settings.access.*.*', named('to', 'where')],
];

const BOOLEANS = ['true', 'false'];
const VALUES: readonly (readonly [path: string, values: readonly string[]])[] = [
  ['fields.*.type', FIELD_TYPES.map((type) => `"${type}"`)],
  ['fields.*.matchType', ['"exact"', '"ignoreCase"']],
  ['fields.*.required', BOOLEANS],
  ['fields.*.display.*', BOOLEANS],
  ['settings.sortOrder', ['1', '-1']],
  ['settings.type', ['"media"']],
  ['settings.internals', ['"plain"', '"underscored"']],
  ...['cache', 'compose', 'storeRevisions', 'signUploads', 'authenticate'].map(
    (name) => [`settings.${name}`, BOOLEANS] as const,
  ),
  ['settings.index.*.options.*', BOOLEANS],
  ['settings.index.options.*', BOOLEANS],
];

function matches(pattern: string, path: readonly string[]): boolean {
  const parts = pattern === '' ? [] : pattern.split('.');
  return parts.length === path.length && parts.every((part, index) => part === '*' || part === path[index]);
}

/** The names that an object at this path may have; undefined where the names are free. */
export const namesAt = (path: readonly string[]): Names | undefined =>
  PLACES.find(([pattern]) => matches(pattern, path))?.[1];

export const valuesAt = (path: readonly string[]): readonly string[] =>
  VALUES.find(([pattern]) => matches(pattern, path))?.[1] ?? [];
