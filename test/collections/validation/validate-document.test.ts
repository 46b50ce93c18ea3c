import { expect, test } from 'vitest';
import {
  checkValue,
  createPatternQuota,
  fieldIssue,
  type PatternMatcher,
  resolvePatterns,
  stripInternalFields,
  validateDocument,
  validateFields,
} from '../../../src/collections/validation/validate-document.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { makeCollection } from '../../helpers/fixtures/specifications.ts';
import { collectionOf } from '../library-service.ts';

const LOOK_AHEAD = { pattern: '^(?=.*x)', flags: 'i' };
const slow: PatternMatcher = async (rule, texts) =>
  texts.every((text) => new RegExp(rule.pattern, rule.flags).test(text));

const books = makeCollection({
  title: { required: true, validation: { regex: { pattern: '^[A-Z]' } } },
  isbn: { required: true, message: 'An ISBN, please' },
  pages: { type: 'Number' },
  code: { validation: { minLength: 3, maxLength: 4 }, default: 'abc' },
});

test('required fields come first, in the order of the specification, then the fields as sent', () => {
  const { issues } = validateDocument(books, { nope: 1, pages: 'x', title: '' }, 'create');
  expect(issues).toEqual([
    { field: 'title', message: "can't be blank", code: 'ERROR_REQUIRED' },
    { field: 'isbn', message: 'An ISBN, please', code: 'ERROR_REQUIRED' },
    { field: 'nope', message: "doesn't exist in the collection schema", code: 'ERROR_NOT_IN_SCHEMA' },
    {
      field: 'pages',
      message: 'is wrong type',
      code: 'ERROR_VALUE_INVALID',
      details: 'expected a number, without quotes',
    },
    { field: 'title', message: 'should match the pattern ^[A-Z]', code: 'ERROR_REGEX' },
  ]);
});

test('an absent required field must be specified on create, and may be absent on update', () => {
  const { issues } = validateDocument(books, { isbn: '1' }, 'create');
  expect(issues).toEqual([{ field: 'title', message: 'must be specified', code: 'ERROR_REQUIRED' }]);
  expect(validateDocument(books, { pages: 1 }, 'update').issues).toEqual([]);
});

test.each(['create', 'update'] as const)('null and blank fail a required field on %s', (mode) => {
  for (const title of [null, '']) {
    const { issues } = validateDocument(books, { title, isbn: '1' }, mode);
    expect(issues[0]).toEqual({ field: 'title', message: "can't be blank", code: 'ERROR_REQUIRED' });
  }
});

test('null clears any other field, whatever its rules', () => {
  const { issues, document } = validateDocument(books, { code: null, pages: null }, 'update');
  expect(issues).toEqual([]);
  expect(document).toEqual({ code: null, pages: null });
});

test('defaults apply on create only, and to absent fields only', () => {
  const list = makeCollection({
    a: { type: 'Mixed', default: { n: [1] } },
    b: { type: 'Boolean', default: false },
  });
  const first = validateDocument(list, {}, 'create').document;
  expect(first).toEqual({ a: { n: [1] }, b: false });
  expect(validateDocument(list, { a: null }, 'create').document).toEqual({ a: null, b: false });
  expect(validateDocument(list, {}, 'update').document).toEqual({});
});

test('values are stored in their normal form and the sent document is left alone', () => {
  const collection = makeCollection({ at: { type: 'DateTime' }, ref: { type: 'Reference' } });
  const sent = { at: '2024-01-01', ref: 'ABCDEFABCDEFABCDEFABCDEF' };
  expect(validateDocument(collection, sent, 'create').document).toEqual({
    at: '2024-01-01T00:00:00.000Z',
    ref: 'abcdefabcdefabcdefabcdef',
  });
  expect(sent.at).toBe('2024-01-01');
});

test('a field may have the name of something that every object inherits', () => {
  const collection = makeCollection({ constructor: { required: true }, toString: {} });
  expect(validateDocument(collection, {}, 'create').issues).toHaveLength(1);
  expect(validateDocument(makeCollection({ a: {} }), { valueOf: 1 }, 'create').issues[0]?.field).toBe(
    'valueOf',
  );
  const hostile = JSON.parse('{"__proto__": {"a": 1}}') as JsonObject;
  expect(validateDocument(makeCollection({ a: {} }), hostile, 'create').issues[0]?.field).toBe('__proto__');
});

test('a pattern beyond the linear engine is pending until it is settled, in its place', async () => {
  const collection = makeCollection({
    a: { validation: { regex: LOOK_AHEAD } },
    b: { validation: { regex: LOOK_AHEAD, maxLength: 1 } },
    c: { type: 'Number' },
  });
  const validated = validateDocument(collection, { a: 'no', b: 'xx', c: 'y' }, 'create');
  expect(validated.pending).toHaveLength(2);
  expect(validated.issues.map(({ field }) => field)).toEqual(['c']);
  expect((await resolvePatterns(validated, slow)).map(({ field, code }) => [field, code])).toEqual([
    ['a', 'ERROR_REGEX'],
    ['b', 'ERROR_MAX_LENGTH'],
    ['c', 'ERROR_VALUE_INVALID'],
  ]);
  const fine = validateDocument(collection, { a: 'X' }, 'create');
  expect(await resolvePatterns(fine, slow)).toEqual([]);
});

test('endless failures are not all looked for', () => {
  const endless = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`no${n}`, n]));
  expect(validateDocument(makeCollection({ a: {} }), endless, 'create').issues).toHaveLength(1000);
});

test('what the server writes itself is stripped', () => {
  const sent = { _id: 'x', v: 3, createdAt: 1, composed: {}, history: [], title: 'T' };
  expect(stripInternalFields(sent)).toEqual({ title: 'T' });
  const plain = { title: 'T' };
  expect(stripInternalFields(plain)).toBe(plain);
});

const PEOPLE = collectionOf('people', {
  fields: { name: { required: true }, code: { validation: { regex: { pattern: '(?=a)a' } } } },
});

test('fields without patterns for a worker are validated at once', () => {
  const matchPattern = async () => true;
  expect(validateFields(PEOPLE, {}, { mode: 'create', matchPattern })).toMatchObject({
    issues: [{ field: 'name' }],
  });
});

test.each([true, false])(
  'fields wait for a pattern beyond the linear engine that matches: %s',
  async (matches) => {
    const options = { mode: 'create', matchPattern: async () => matches } as const;
    const validated = validateFields(PEOPLE, { name: 'A', code: 'a' }, options);
    expect(validated).toBeInstanceOf(Promise);
    expect((await validated).issues.map(({ field }) => field)).toEqual(matches ? [] : ['code']);
  },
);

function codeOf(field: Json, value: Json): unknown {
  const live = makeCollection({ a: field }).fields.get('a')!;
  const finding = checkValue(live, value, createPatternQuota());
  return finding === undefined ? undefined : 'rule' in finding ? 'pending' : finding.code;
}

test.each<[Json, Json, unknown]>([
  [{ validation: { minLength: 2 } }, 'a', 'ERROR_MIN_LENGTH'],
  [{ validation: { minLength: 2 } }, 'ab', undefined],
  [{ validation: { minLength: 1 } }, '', 'ERROR_MIN_LENGTH'],
  [{ validation: { minLength: 0 } }, '', undefined],
  [{ validation: { maxLength: 2 } }, 'abc', 'ERROR_MAX_LENGTH'],
  [{ validation: { maxLength: 0 } }, '', undefined],
  [{ validation: { maxLength: 2 } }, '\u{1F600}\u{1F600}', undefined],
  [{ validation: { maxLength: 2 } }, '\u{1F600}\u{1F600}a', 'ERROR_MAX_LENGTH'],
  [{ validation: { minLength: 2 } }, '\u{1F600}', 'ERROR_MIN_LENGTH'],
  [{ validation: { maxLength: 2 } }, ['ab', 'cd'], undefined],
  [{ validation: { maxLength: 2 } }, ['ab', 'cde'], 'ERROR_MAX_LENGTH'],
  [{ type: 'Number', validation: { maxLength: 2 } }, 123, 'ERROR_MAX_LENGTH'],
  [{ type: 'Number', validation: { maxLength: 2 } }, 12, undefined],
  [{ type: 'Mixed', validation: { minLength: 50 } }, { toString: 1 }, undefined],
  [{ validation: { regex: { pattern: '^a' } } }, ['a', 'ab'], undefined],
  [{ validation: { regex: { pattern: '^a' } } }, ['a', 'b'], 'ERROR_REGEX'],
  [{ validation: { regex: { pattern: '^A$', flags: 'i' } } }, 'a', undefined],
  [{ validation: { regex: { pattern: 'a' }, maxLength: 1 } }, 'bb', 'ERROR_REGEX'],
  [{ validation: { regex: { pattern: 'a' }, maxLength: 1 } }, 'ab', 'ERROR_MAX_LENGTH'],
  [{ validation: { regex: { pattern: '1' } } }, 1, 'ERROR_VALUE_INVALID'],
  [{ validation: { regex: { pattern: '(?=a)' } } }, 'b', 'pending'],
  [{ validation: { regex: { pattern: '(?=a)' } } }, [], undefined],
])('%j holds %j: %s', (field, value, code) => {
  expect(codeOf(field, value)).toBe(code);
});

test('a text that is long for its pattern is left to a worker, and so are many that are long together', () => {
  const field = makeCollection({ a: { validation: { regex: { pattern: '^[ab]{100}c?' } } } }).fields.get(
    'a',
  )!;
  const allowance = createPatternQuota();
  expect(checkValue(field, 'a'.repeat(100), allowance)).toBeUndefined();
  expect(checkValue(field, 'a'.repeat(10_000), allowance)).toMatchObject({
    rule: { pattern: '^[ab]{100}c?' },
  });
  const findings = Array.from({ length: 50 }, () => checkValue(field, 'a'.repeat(100), allowance));
  expect(findings[0]).toBeUndefined();
  expect(findings.at(-1)).toHaveProperty('rule');
});

test('the message of the field replaces that of the rule', () => {
  const field = makeCollection({ a: { message: 'Not like this' } }).fields.get('a')!;
  expect(fieldIssue(field, 'is too short', 'ERROR_MIN_LENGTH')).toEqual({
    field: 'a',
    message: 'Not like this',
    code: 'ERROR_MIN_LENGTH',
  });
});
