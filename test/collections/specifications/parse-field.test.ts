import { expect, test } from 'vitest';
import { createIssueCollector } from '../../../src/collections/specifications/issue-collector.ts';
import { createUnknownAttributes } from '../../../src/collections/specifications/near-misses.ts';
import { parseField } from '../../../src/collections/specifications/parse-field.ts';
import { createPatternCompiler } from '../../../src/collections/specifications/pattern-compiler.ts';
import type { Json } from '../../../src/lib/json/json.ts';

function read(source: Json, name = 'a') {
  const report = createIssueCollector();
  const field = parseField(name, source, {
    issues: report,
    patterns: createPatternCompiler(),
    attributes: createUnknownAttributes(),
  });
  return { field, items: report.issues, warnings: report.warnings };
}

test('a field declaration with every member is parsed', () => {
  const { field, items } = read({
    type: 'Reference',
    required: true,
    message: 'Who?',
    default: null,
    matchType: 'exact',
    label: 'Author',
    settings: { database: 'people', collection: 'writers', fields: ['name'], compose: true },
  });
  expect(items).toEqual([]);
  expect(field).toMatchObject({
    type: 'Reference',
    required: true,
    message: 'Who?',
    default: null,
    caseSensitive: true,
    reference: { database: 'people', collection: 'writers', fields: ['name'], compose: true },
  });
});

test.each([
  [''],
  ['a.b'],
  ['$a'],
  ['_id'],
  ['__proto__'],
  ['createdAt'],
  ['history'],
  ['v'],
  ['a\0'],
  ['\ud800'],
])('%j is no name for a field', (name) => {
  expect(read({}, name).items).toMatchObject([{ section: 'fields', field: name }]);
});

test('an empty message is none, so that the words of the rules are shown', () => {
  expect(read({ message: '' }).field?.message).toBeUndefined();
  expect(read({ message: ' ' }).field?.message).toBe(' ');
});

test.each([['größe'], ['a b'], ['constructor'], ['日本']])('%j is a name for a field', (name) => {
  expect(read({}, name).items).toEqual([]);
});

test.each<[Json, string]>([
  [null, 'must be an object'],
  [[], 'must be an object'],
  [{ type: 'Nope' }, '`Nope` is not a type'],
  [{ type: 'toString' }, '`toString` is not a type'],
  [{ type: 5 }, 'this is not a type'],
  [{ validationRule: '^a' }, 'use `validation.regex`'],
  [{ limit: 5 }, 'use `validation.maxLength`'],
  [{ required: 'yes' }, '`required`'],
  [{ message: 1 }, '`message`'],
  [{ matchType: true }, '`matchType`'],
  [{ type: 'Number', default: 'x' }, '`default` is wrong type'],
  [{ type: 'Reference', default: { name: 'x' } }, '`default` is wrong type'],
  [{ type: 'ObjectID', default: 'x' }, '`default` is not a valid ObjectID'],
  [{ type: 'Reference', settings: [] }, '`settings` must be an object'],
  [{ type: 'Reference', settings: { database: '../x' } }, '`settings.database`'],
  [{ type: 'Reference', settings: { collection: '' } }, '`settings.collection`'],
  [{ type: 'Reference', settings: { fields: 'name' } }, '`settings.fields`'],
  [{ type: 'Reference', settings: { compose: 'some' } }, '`settings.compose`'],
])('the field declaration %j is rejected', (source, text) => {
  const { items } = read(source);
  expect(items).toHaveLength(1);
  expect(items[0]?.message).toContain(text);
  expect(items[0]?.field).toBe('a');
});

test('an unknown matchType and an invalid default are accepted with a warning', () => {
  expect(read({ matchType: 'fuzzy' }).warnings).toHaveLength(1);
  expect(read({ default: 'abc', validation: { maxLength: 2 } }).warnings[0]?.field).toBe('fields.a');
  expect(read({ default: false, type: 'Boolean', matchType: 'ignoreCase' }).warnings).toEqual([]);
});
