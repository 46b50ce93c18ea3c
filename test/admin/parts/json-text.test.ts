// The reading of JSON in the admin page: the place of what is wrong, lines of members, and what may be written at the cursor.
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../../admin/src/views/collections/fields/json-fault.ts';
import { memberPlaces, parseJson } from '../../../admin/src/views/collections/fields/json-text.ts';
import { describeChanges } from '../../../admin/src/views/collections/specification/changes-in-words.ts';
import { checkText } from '../../../admin/src/views/collections/specification/check-text.ts';
import { suggest } from '../../../admin/src/views/collections/specification/completion.ts';
import {
  FIELD_NAMES,
  SETTING_NAMES,
} from '../../../admin/src/views/collections/specification/known-names.ts';
import { FIELD_ATTRIBUTES } from '../../../src/collections/specifications/parse-field.ts';
import { KNOWN_SETTINGS } from '../../../src/collections/specifications/parse-settings.ts';

const VALID = [
  '{}',
  '[]',
  ' null ',
  '-0.5e+3',
  '"\\u00e9\\n\u007f"',
  '{"a":[1,{"b":[]}],"c":"]}"}',
  '"😀"',
  '"\ud800"',
];

describe('the place at which a text stops being JSON', () => {
  it.each([
    ['{"a": 1,\n "b": oops}', 2, 7, 'a value is needed here'],
    ['{"a": 1 "b": 2}', 1, 9, 'a comma or the closing bracket is needed here'],
    ['[1, 2', 1, 6, 'a comma or the closing bracket is needed here'],
    ['{a: 1}', 1, 2, 'a name in double quotes or } is needed here'],
    ['[1,]', 1, 4, 'a value is needed here'],
    ['{}\n{}', 2, 1, 'nothing more may follow here'],
    ['"a\nb"', 1, 1, 'a value is needed here'],
    ['', 1, 1, 'a value is needed here'],
  ])('is named: %j', (text, line, column, message) => {
    expect(parseJson(text)).toEqual({
      problem: { line, column, message: `No JSON: ${message}`, severity: 'error' },
    });
  });

  it('is found in just those texts that JSON.parse refuses', () => {
    const edits = [...'{}[]",:\\ 0e-.tn\n\u0001'];
    const changed = VALID.flatMap((text) =>
      Array.from({ length: text.length + 1 }, (_, at) =>
        edits.flatMap((edit) => [0, 1].map((cut) => text.slice(0, at) + edit + text.slice(at + cut))),
      ).flat(),
    );
    const isRead = (text: string) => 'value' in parseJson(text);
    expect(changed.length).toBeGreaterThan(1000);
    expect(changed.filter((text) => (findJsonFault(text) === undefined) !== isRead(text))).toEqual([]);
  });
});

describe('the lines of members', () => {
  it('are found by their paths, whatever names and texts hold', () => {
    const text = '{"fields": {\n "a\\"}": {"type": "{"},\n "b": [\n  {"c": 1}]},\n "settings": {}}';
    expect(Object.fromEntries(memberPlaces(text))).toEqual({
      fields: { line: 1, column: 2 },
      'fields.a"}': { line: 2, column: 2 },
      'fields.a"}.type': { line: 2, column: 11 },
      'fields.b': { line: 3, column: 2 },
      'fields.b.0.c': { line: 4, column: 4 },
      settings: { line: 5, column: 2 },
    });
  });
});

describe('the names that the editor of specifications knows', () => {
  it('are those that the server knows', () => {
    const descriptions = ['label', 'comments', 'example', 'placement', 'display'];
    expect(Object.keys(FIELD_NAMES).sort()).toEqual([...FIELD_ATTRIBUTES, ...descriptions].sort());
    expect(Object.keys(SETTING_NAMES).sort()).toEqual([...KNOWN_SETTINGS].sort());
  });

  it('are offered where they belong', () => {
    const labels = (before: string) => suggest(before).map(({ label }) => label);
    expect(labels('{')).toEqual(['"fields"', '"settings"']);
    expect(labels('{"fields": {"a": {')).toContain('"placement"');
    expect(labels('{"fields": {"a": {"type": ')).toContain('"DateTime"');
    expect(labels('{"fields": {"a": {"type": "String"')).toEqual([]);
    expect(labels('{"fields": {')).toEqual([]);
    expect(labels('{"fields": {}, "settings": {"sort": "a", ')).toContain('"storeRevisions"');
    expect(labels('{"settings": {"index": [{"keys": {"a": 1}, "options": {')).toContain('"unique"');
  });
});

describe('a specification that is written', () => {
  it('is told what is wrong, at its line', () => {
    const text =
      '{"fields": {\n "a": {"type": "Text"},\n "b": {"requird": true}},\n "settings": {"sort": "c"}}';
    expect(checkText(text).map(({ line, severity }) => [line, severity])).toEqual([
      [2, 'error'],
      [3, 'warning'],
      [4, 'warning'],
    ]);
    expect(checkText('[]')).toMatchObject([{ line: 1, severity: 'error' }]);
    expect(checkText('{"fields": {}, "settings": {}}')).toEqual([]);
  });

  it('is told in words what it changes, and what is lost', () => {
    const before = {
      fields: { a: {}, b: { type: 'Number', required: true } },
      settings: { storeRevisions: true, index: { keys: { a: 1 } } },
    };
    const after = {
      fields: { b: { type: 'String' }, c: { required: true } },
      settings: { index: [{ keys: { b: -1 }, options: { unique: true } }] },
    };
    const { lines, losses, ...names } = describeChanges(before, after);
    expect(lines).toEqual([
      'The field c (String) is added',
      'The field a is removed: documents keep what they have in it',
      'The field b is String instead of Number: documents keep their values, new values must be of the new type',
      'The field b is no longer required',
      'The unique index on b descending is built: saving is refused while documents have the same value',
      'The index on a is dropped',
      'The setting storeRevisions is not set instead of true',
    ]);
    expect(losses.map((line) => line.split(':', 1)[0])).toEqual([
      'the field a',
      'the index on a',
      'the keeping of revisions',
    ]);
    expect(names).toEqual({ removedFields: ['a'], requiredFields: ['c'], retypedFields: ['b'] });
    expect(describeChanges(before, before).lines).toEqual([]);
  });
});
