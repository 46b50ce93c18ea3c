// The tables of docs/collections.md say what the parser of specifications does: no type, attribute, setting, rule, option or event
// is missing or surplus, and every default is the parser's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { constantIn } from '../../scripts/docs/source-constants.ts';
import { HOOK_EVENTS, INTERNAL_FIELDS } from '../../src/collections/model/collection.ts';
import { FIELD_TYPES, type FieldType } from '../../src/collections/model/fields/field-types.ts';
import { INDEX_MEMBERS, INDEX_OPTIONS } from '../../src/collections/specifications/index-definitions.ts';
import {
  FIELD_ATTRIBUTES,
  REFERENCE_SETTINGS,
  VALIDATION_RULES,
} from '../../src/collections/specifications/parse-field.ts';
import { KNOWN_SETTINGS } from '../../src/collections/specifications/parse-settings.ts';
import { parseSpecification } from '../../src/collections/specifications/parse-specification.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PAGE = readFileSync(join(ROOT, 'docs/collections.md'), 'utf8');

/** Kept for programs that edit documents. */
const DESCRIPTIONS = ['label', 'comments', 'example', 'placement', 'display'];

type Cells = readonly string[];

/** The rows of the table whose head begins with these words. */
function rowsOf(head: string): readonly Cells[] {
  const [, after = ''] = PAGE.split(`\n| ${head} |`);
  const [table = ''] = after.split('\n\n');
  const lines = table.split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The rows of the table without heads that follows a heading. */
const rowsIn = (heading: string) => {
  const [, after = ''] = PAGE.split(`\n${heading}\n`);
  return [...after.matchAll(/^\| ([^|]+) \| (.*) \|$/gm)].map(([, name = '', text = '']) => [name, text]);
};

const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const namesIn = (rows: readonly Cells[]) => rows.flatMap(([name]) => codesIn(name));
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** Everything that the parser made of a specification but its own text, as comparable values. */
function parse(field: JsonObject, settings: JsonObject = {}) {
  const fields = { a: field, b: {} };
  const address = { version: '1.0', database: 'shop', name: 'things' };
  const { collection } = parseSpecification({ fields, settings }, address, {
    enableCollectionDatabases: false,
  });
  const { source: _source, fields: parsed, ...rest } = collection;
  return { field: parsed.get('a'), ...rest };
}

/** Names of the members in which two objects differ. */
const changedMembers = (a: object | undefined, b: object | undefined) =>
  Object.keys({ ...a, ...b }).filter(
    (name) => JSON.stringify(a?.[name as never]) !== JSON.stringify(b?.[name as never]),
  );

/** The default in a cell as the members of an object: none where the page says so. */
function defaultOf(name: string, cell: string): JsonObject {
  const [code] = codesIn(cell);
  if (code === undefined) expect(cell, name).toMatch(/^(none|the field's own \w+|all fields)$/);
  return code === undefined ? {} : { [name]: JSON.parse(code) as Json };
}

/** For each attribute a value that is not its default. One that is missing here is new: document it. */
const ATTRIBUTES: Readonly<Record<string, Json>> = {
  type: 'Number',
  required: true,
  default: 'x',
  validation: { maxLength: 1 },
  message: 'x',
  matchType: 'exact',
  settings: { collection: 'others' },
  access: { read: ['clients'] },
};

/** The same for settings. */
const SETTINGS: Readonly<Record<string, Json>> = {
  access: { read: [] },
  authenticate: false,
  cache: false,
  callback: 'f',
  compose: true,
  count: 7,
  defaultFilters: { a: 'x' },
  displayName: 'x',
  fieldLimiters: { a: 0 },
  hooks: { beforeGet: ['x'] },
  index: [{ keys: { a: 1 } }],
  internals: 'underscored',
  revisionCollection: 'x',
  signUploads: true,
  sort: 'a',
  sortOrder: -1,
  storeRevisions: true,
  type: 'media',
  lastModifiedAt: 1,
};

const REFERENCES: Readonly<Record<string, Json>> = {
  collection: 'others',
  database: 'other',
  fields: ['x'],
  compose: true,
  multiple: true,
};

describe('the attributes of a field in docs/collections.md', () => {
  const rows = rowsOf('Attribute | Value');

  it('are those that the parser knows, and the descriptions that it keeps', () => {
    expect(sorted(namesIn(rows))).toEqual(sorted([...FIELD_ATTRIBUTES, ...DESCRIPTIONS]));
  });

  it.each(Object.entries(ATTRIBUTES))('%s has the default that the parser has', (name, other) => {
    const row = rows.find((cells) => codesIn(cells[0]).includes(name));
    const base = name === 'settings' ? { type: 'Reference' } : {};
    const absent = parse(base).field;
    expect(parse({ ...base, ...defaultOf(name, row?.[2] ?? '') }).field).toEqual(absent);
    expect(parse({ ...base, [name]: other }).field).not.toEqual(absent);
  });

  it('cover everything that the parser makes of a field', () => {
    const reached = Object.entries(ATTRIBUTES).flatMap(([name, other]) => {
      const base = name === 'settings' ? { type: 'Reference' } : {};
      return changedMembers(parse({ ...base, [name]: other }).field, parse(base).field);
    });
    const members = Object.keys(parse({}).field ?? {}).filter((name) => name !== 'name');
    expect(sorted(reached)).toEqual(sorted(members));
  });
});

describe('the settings in docs/collections.md', () => {
  const rows = rowsOf('Setting | Value');

  it('are those that the parser knows', () => {
    expect(sorted(namesIn(rows))).toEqual(sorted(KNOWN_SETTINGS));
  });

  it.each(KNOWN_SETTINGS)('%s has the default that the parser has', (name) => {
    const row = rows.find((cells) => codesIn(cells[0]).includes(name));
    expect(parse({}, defaultOf(name, row?.[2] ?? ''))).toEqual(parse({}));
    expect(Object.hasOwn(SETTINGS, name), 'a value in this test').toBe(true);
    expect(parse({}, { [name]: SETTINGS[name] ?? null })).not.toEqual(parse({}));
  });

  it('cover everything that the parser makes of settings', () => {
    const absent = parse({}).settings;
    const reached = Object.entries(SETTINGS).flatMap(([name, other]) =>
      changedMembers(parse({}, { [name]: other }).settings, absent),
    );
    expect(sorted(reached)).toEqual(sorted(Object.keys(absent)));
  });
});

describe('references, rules, indexes and hooks in docs/collections.md', () => {
  const references = rowsOf('Attribute of `settings` | Value');

  it('have the members that the parser knows', () => {
    expect(sorted(namesIn(references))).toEqual(sorted(REFERENCE_SETTINGS));
    expect(sorted(namesIn(rowsOf('Rule of `validation` | Value')))).toEqual(sorted(VALIDATION_RULES));
    expect(sorted(namesIn(rowsOf('Member | Value')))).toEqual(sorted(INDEX_MEMBERS));
    expect(sorted(namesIn(rowsOf('Option | Value')))).toEqual(sorted(INDEX_OPTIONS));
  });

  it.each(REFERENCE_SETTINGS)(
    '%s of a reference has an effect unless the page says that it has none',
    (name) => {
      const row = references.find((cells) => codesIn(cells[0]).includes(name)) ?? [];
      const { field } = parse({ type: 'Reference', settings: { [name]: REFERENCES[name] ?? null } });
      const hasEffect = Object.hasOwn(field?.reference ?? {}, name);
      expect(hasEffect).toBe(!row[3]?.includes('without effect'));
    },
  );

  it('list the events of hooks', () => {
    const [, list = ''] = PAGE.split('\nEvents: ');
    expect(codesIn(list.split('.')[0])).toEqual([...HOOK_EVENTS]);
  });

  it('list the fields that the server writes', () => {
    const [, list = ''] = PAGE.split('fields into every document: ');
    expect(codesIn(list.split('. They')[0])).toEqual([...INTERNAL_FIELDS]);
  });
});

it.each([
  ['fields', ['MAX_PATTERN_FIELDS'], 'pattern-compiler'],
  ['pattern', ['MAX_PATTERN_CHARACTERS'], 'parse-field'],
  ['indexes', ['MAX_INDEXES', 'MAX_KEYS'], 'index-definitions'],
  ['hooks of an event', ['MAX_HOOKS'], 'parse-settings'],
  ['rules of an action', ['MAX_RULES', 'MAX_CALLERS'], 'parse-access'],
  ['version, database, collection', ['MAX_NAME', 'MAX_DATABASE_NAME'], 'collection-address'],
])('docs/collections.md has the limits of the parser: %s', (name, constants, file) => {
  const [, text = ''] = rowsIn('## Names and limits').find(([cell]) => cell === name) ?? [];
  expect(text).not.toBe('');
  const source = readFileSync(join(ROOT, `src/collections/specifications/${file}.ts`), 'utf8');
  for (const constant of constants) {
    expect(text.replaceAll(',', '')).toMatch(new RegExp(`\\b${constantIn(source, constant)}\\b`));
  }
});

describe('the types of docs/collections.md', () => {
  const values = rowsOf('Type | Takes');
  const uses = rowsOf('Type | Operand of a filter');
  const types = Object.keys(FIELD_TYPES) as FieldType[];

  it('are those that a field may have', () => {
    expect(namesIn(values)).toEqual(types);
    expect(namesIn(uses)).toEqual(types);
  });

  it.each(types)('%s takes and refuses what its row says', (type) => {
    const [, takes, refuses] = values.find((cells) => codesIn(cells[0]).includes(type)) ?? [];
    const { check } = FIELD_TYPES[type];
    expect(codesIn(takes).length).toBeGreaterThan(0);
    for (const code of codesIn(takes)) expect([code, check(JSON.parse(code))]).toEqual([code, undefined]);
    for (const code of codesIn(refuses))
      expect([code, check(JSON.parse(code))]).not.toEqual([code, undefined]);
    expect(codesIn(refuses).length === 0).toBe(FIELD_TYPES[type].acceptsAny === true);
  });

  it.each(types)('%s is used by filters and forms as its row says', (type) => {
    const rules = FIELD_TYPES[type];
    const paths = rules.reference ? 'into the document behind it' : rules.nested ? 'yes' : 'no';
    const form = { json: 'JSON', 'json-list': 'text, or a JSON list', undefined: 'text' };
    const formText = typeof rules.formText === 'function' ? 'a value of the type' : form[`${rules.formText}`];
    const row = uses.find((cells) => codesIn(cells[0]).includes(type)) ?? [];
    expect(row.slice(1)).toEqual([
      rules.operandForm,
      rules.supportsCaseInsensitive ? 'yes' : 'no',
      paths,
      formText,
    ]);
  });
});
