import { expect, test } from 'vitest';
import {
  type PatternMatcher,
  resolvePatterns,
  stripInternalFields,
  validateDocument,
  validateFields,
} from '../../../src/collections/validation/validate-document.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
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
    { field: 'pages', message: 'is wrong type', code: 'ERROR_VALUE_INVALID' },
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
const OPTIONS = { mode: 'create', origin: { prefix: 'author.', index: 2 } } as const;

test('issues of fields have their position in the request', () => {
  const matchPattern = async () => true;
  expect(validateFields(PEOPLE, {}, { ...OPTIONS, matchPattern })).toMatchObject({
    issues: [{ field: 'author.name', index: 2 }],
  });
  expect(validateFields(PEOPLE, {}, { ...OPTIONS, origin: { prefix: '' }, matchPattern })).toMatchObject({
    issues: [{ field: 'name' }],
  });
});

test.each([true, false])(
  'fields wait for a pattern beyond the linear engine that matches: %s',
  async (matches) => {
    const options = { ...OPTIONS, matchPattern: async () => matches };
    const validated = validateFields(PEOPLE, { name: 'A', code: 'a' }, options);
    expect(validated).toBeInstanceOf(Promise);
    expect((await validated).issues.map(({ field }) => field)).toEqual(matches ? [] : ['author.code']);
  },
);
