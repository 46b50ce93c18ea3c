// Values against specifications over the whole application: what each type takes, and the words for what it refuses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorItem } from '../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const ID = '0123456789abcdef01234567';
const PATH = '/1.0/library/typed';

let app: TestApp;
let typed: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  typed = await createTestCollection(app, PATH, {
    fields: {
      bare: {},
      text: { type: 'String' },
      number: { type: 'Number' },
      flag: { type: 'Boolean' },
      mixed: { type: 'Mixed' },
      object: { type: 'Object' },
      id: { type: 'ObjectID' },
      ref: { type: 'Reference' },
      at: { type: 'DateTime' },
    },
  });
});

afterAll(() => app.close());

const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
const same = (value: Json): readonly [Json, Json] => [value, value];

const TAKEN: Readonly<Record<string, readonly (readonly [Json, Json])[]>> = {
  bare: [same('a'), same(['a', 'b']), same(null), same('')],
  text: [same('nul \u0000 and \u{1f600}'), same([]), same('5')],
  number: [same(0), same(-1.5e300), same(null)],
  flag: [same(true), same(false), same(null)],
  mixed: [
    same(5),
    same('a'),
    same([1, 'a', null, {}]),
    same({ a: { b: null } }),
    same(false),
    same(nested(98)),
  ],
  object: [same({ constructor: 1 }), same({}), same([{ a: 1 }]), same(null)],
  id: [[ID.toUpperCase(), ID], same([ID]), same(null)],
  ref: [same(ID), same([ID, ID]), same(null), same([]), same([null, ID])],
  at: [
    ['2024-02-29T12:00:00+02:00', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    same(null),
  ],
};

/** What `details` of an error say of each field. */
const FORMS: Readonly<Record<string, string>> = {
  bare: 'text, or a list of texts',
  text: 'text, or a list of texts',
  number: 'a number, without quotes',
  flag: 'true or false, without quotes',
  object: 'an object, or a list',
  id: 'an id of 24 hexadecimal digits, or a list of them',
  ref: 'the id of a document, a document, or a list of them',
  at: 'ISO 8601 text, such as 2023-01-29T12:00:00Z',
};

const WRONG = 'is wrong type';
const REFUSED: Readonly<Record<string, readonly (readonly [Json, string, string])[]>> = {
  bare: [
    [5, WRONG, 'ERROR_VALUE_INVALID'],
    [{ text: 'a' }, WRONG, 'ERROR_VALUE_INVALID'],
  ],
  text: [
    [['a', 5], WRONG, 'ERROR_VALUE_INVALID'],
    [true, WRONG, 'ERROR_VALUE_INVALID'],
  ],
  number: [
    ['5', WRONG, 'ERROR_VALUE_INVALID'],
    [[5], WRONG, 'ERROR_VALUE_INVALID'],
    [{}, WRONG, 'ERROR_VALUE_INVALID'],
  ],
  flag: [
    ['true', WRONG, 'ERROR_VALUE_INVALID'],
    [1, WRONG, 'ERROR_VALUE_INVALID'],
    [[true], WRONG, 'ERROR_VALUE_INVALID'],
  ],
  object: [
    ['a', WRONG, 'ERROR_VALUE_INVALID'],
    [5, WRONG, 'ERROR_VALUE_INVALID'],
  ],
  id: [
    ['abc', 'is not a valid ObjectID', 'ERROR_INVALID_ID'],
    ['twelve chars', 'is not a valid ObjectID', 'ERROR_INVALID_ID'],
    [[ID, 'abc'], 'abc is not a valid ObjectID', 'ERROR_INVALID_ID'],
    [5, WRONG, 'ERROR_VALUE_INVALID'],
  ],
  ref: [
    [5, WRONG, 'ERROR_VALUE_INVALID'],
    ['abc', 'is not a valid ObjectID', 'ERROR_INVALID_ID'],
  ],
  at: [
    ['yesterday', 'is not a valid DateTime', 'ERROR_VALUE_INVALID'],
    ['2023-02-29', 'is not a valid DateTime', 'ERROR_VALUE_INVALID'],
    ['+012024-01-01', 'is not a DateTime of the years 0000 to 9999', 'ERROR_VALUE_INVALID'],
    [5, 'is not a valid DateTime', 'ERROR_VALUE_INVALID'],
  ],
};

const rows = <Row extends readonly unknown[]>(table: Readonly<Record<string, readonly Row[]>>) =>
  Object.entries(table).flatMap(([field, list]) => list.map((row) => [field, ...row] as const));

describe('a field', () => {
  it.each(rows(TAKEN))('%s takes %j', async (field, sent, stored) => {
    const [{ _id, ...created }] = await typed.add({ [field]: sent });
    expect(created[field]).toEqual(stored);
    const updated = await app.inject('PUT', `${PATH}/${_id}`, { body: { [field]: sent } });
    expect([updated.status, updated.body.results[0][field]]).toEqual([200, stored]);
    const { body } = await typed.get({}, `/${_id}`);
    expect(body.results[0][field]).toEqual(stored);
  });

  it.each(rows(REFUSED))('%s refuses %j', async (field, sent, message, code) => {
    const body = { [field]: sent };
    const [{ _id }] = await typed.add({});
    for (const [method, path] of [
      ['POST', PATH],
      ['PUT', `${PATH}/${_id}`],
    ] as const) {
      const answer = await app.inject(method, path, { body });
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          statusCode: 400,
          success: false,
          errors: [{ field, message, code, details: `expected ${FORMS[field]}` }],
        },
      ]);
    }
    expect((await typed.get({}, `/${_id}`)).body.results[0]).not.toHaveProperty(field);
  });

  it.each([
    '{"mixed":{"__proto__":1}}',
    '{"mixed":{"a\\u0000b":1}}',
    '{"text":"\\ud800"}',
    '{"number":1e999}',
    `{"mixed":${JSON.stringify(nested(100))}}`,
  ])('refuses what no store takes back: %s', async (body) => {
    const { status, body: answer } = await app.inject('POST', PATH, { body });
    expect([status, answer.success, answer.errors[0].field]).toEqual([400, false, expect.any(String)]);
  });

  it('that the specification does not have is refused', async () => {
    for (const value of [1, {}, []]) {
      const { status, body } = await app.inject('POST', PATH, { body: { nope: value } });
      const message = "doesn't exist in the collection schema";
      expect([status, body.errors]).toEqual([400, [{ field: 'nope', message, code: 'ERROR_NOT_IN_SCHEMA' }]]);
    }
  });
});

const RULES: JsonObject = {
  need: { required: true },
  told: { required: true, message: 'Tell us', validation: { minLength: 2 } },
  short: { validation: { minLength: 2, maxLength: 4 } },
  match: { validation: { regex: { pattern: '^[a-z]+$' } } },
  look: { validation: { regex: { pattern: '^(?=a).b$' } } },
  worded: { type: 'Number', message: 'A number, please' },
  none: { type: 'Boolean', default: false },
  list: { type: 'Mixed', default: { a: [1] } },
};
const GOOD: JsonObject = { need: 'a', told: 'ab' };

type Item = readonly [string, string, string];
const BROKEN: readonly (readonly [JsonObject, readonly Item[]])[] = [
  [
    {},
    [
      ['need', 'must be specified', 'ERROR_REQUIRED'],
      ['told', 'Tell us', 'ERROR_REQUIRED'],
    ],
  ],
  [{ ...GOOD, need: '' }, [['need', "can't be blank", 'ERROR_REQUIRED']]],
  [{ ...GOOD, need: null }, [['need', "can't be blank", 'ERROR_REQUIRED']]],
  [{ ...GOOD, told: 'a' }, [['told', 'Tell us', 'ERROR_MIN_LENGTH']]],
  [{ ...GOOD, short: 'a' }, [['short', 'is too short', 'ERROR_MIN_LENGTH']]],
  [{ ...GOOD, short: 'abcde' }, [['short', 'is too long', 'ERROR_MAX_LENGTH']]],
  [{ ...GOOD, match: 'A' }, [['match', 'should match the pattern ^[a-z]+$', 'ERROR_REGEX']]],
  [{ ...GOOD, look: 'b' }, [['look', 'should match the pattern ^(?=a).b$', 'ERROR_REGEX']]],
  [{ ...GOOD, worded: 'x' }, [['worded', 'A number, please', 'ERROR_VALUE_INVALID']]],
  [
    { zzz: 1, short: 'a', told: 'ab' },
    [
      ['need', 'must be specified', 'ERROR_REQUIRED'],
      ['zzz', "doesn't exist in the collection schema", 'ERROR_NOT_IN_SCHEMA'],
      ['short', 'is too short', 'ERROR_MIN_LENGTH'],
    ],
  ],
];

describe('rules', () => {
  beforeAll(() => createTestCollection(app, '/1.0/library/ruled', { fields: RULES }));

  it.each(BROKEN)('refuse %j', async (body, items) => {
    const answer = await app.inject('POST', '/1.0/library/ruled', { body });
    const told = answer.body.errors.map(({ field, message, code }: ErrorItem) => [field, message, code]);
    expect([answer.status, told]).toEqual([400, items]);
    const batch = await app.inject('POST', '/1.0/library/ruled', { body: [GOOD, body] });
    expect(batch.body.errors.map(({ index }: { index: number }) => index)).toEqual(items.map(() => 1));
    expect((await app.inject('GET', '/1.0/library/ruled/count')).body.metadata.totalCount).toBe(0);
  });

  it('apply defaults on create only, and do not ask for what an update leaves out', async () => {
    const created = await app.inject('POST', '/1.0/library/ruled', { body: { ...GOOD, look: 'ab' } });
    const [{ _id, none, list }] = created.body.results;
    expect([none, list]).toEqual([false, { a: [1] }]);
    const path = `/1.0/library/ruled/${_id}`;
    const cleared = await app.inject('PUT', path, { body: { none: null, short: 'abc' } });
    expect([cleared.status, cleared.body.results[0].none, cleared.body.results[0].need]).toEqual([
      200,
      null,
      'a',
    ]);
    for (const need of ['', null]) {
      const refused = await app.inject('PUT', path, { body: { need } });
      expect([refused.status, refused.body.errors[0].message]).toEqual([400, "can't be blank"]);
    }
  });
});
