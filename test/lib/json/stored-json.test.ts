import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { RECORD_SEPARATOR } from '../../../src/lib/chunked-text.ts';
import {
  documentsById,
  documentVersion,
  findInObjects,
  findMember,
  memberName,
  objectSpans,
  parseQuotedId,
  parseStoredJson,
  readDocumentId,
} from '../../../src/lib/json/stored-json.ts';

it('stored JSON is parsed', () => {
  expect(parseStoredJson('{"a":1}')).toEqual({ a: 1 });
});

it('stored text that is not JSON is an error that does not quote the text', () => {
  const read = () => parseStoredJson('{"secret');
  expect(read).toThrow(StoreError);
  expect(read).toThrow(expect.objectContaining({ reason: 'damaged' }));
  expect(read).not.toThrow(/secret/);
});

test('the version of a document is its `v`, or 0 if that is not a number', () => {
  expect(documentVersion({ v: 3 })).toBe(3);
  expect([{}, { v: null }, { v: '3' }, { v: [3] }].map(documentVersion)).toEqual([0, 0, 0, 0]);
});

/** Any code point, lone surrogates too: the unit `binary` of fast-check takes two seconds to build. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

const NAME = memberName('a');
const plainObjects = fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue(), { noNullPrototype: true });

/** The texts that begin where the value of a member begins in each object of a text. */
const foundIn = (text: string, name: string) =>
  findInObjects(text, objectSpans(text), memberName(name)).map((place) =>
    place < 0 ? undefined : text.slice(place),
  );

test('every member of a JSON object is found', () => {
  fc.assert(
    fc.property(plainObjects, (object) => {
      const text = JSON.stringify(object);
      for (const [name, value] of Object.entries(JSON.parse(text))) {
        const { start, end } = findMember(text, memberName(name))!;
        expect(JSON.parse(text.slice(start, end))).toEqual(value);
        expect(foundIn(text, name)).toEqual([text.slice(start)]);
      }
    }),
  );
});

test('members are found in each of the objects that are joined', () => {
  fc.assert(
    fc.property(fc.array(plainObjects, { minLength: 1, maxLength: 4 }), (objects) => {
      const text = objects.map((object) => JSON.stringify(object)).join(RECORD_SEPARATOR);
      for (const name of objects.flatMap(Object.keys)) {
        const values = objects.map((object) =>
          Object.hasOwn(object, name) ? JSON.stringify(object[name]) : undefined,
        );
        const found = foundIn(text, name).map((rest, index) => rest?.slice(0, values[index]?.length ?? 0));
        expect(found).toEqual(values);
      }
    }),
  );
});

test.each([
  ['{"o":{"a":1},"b":2}', []],
  ['{"s":"\\"a\\":1,","b":"\\\\"}', []],
  ['{"s":"\\\\","a":[{"a":"]"}]}', ['[{"a":"]"}]']],
  ['{"a":-1.5e-7}', ['-1.5e-7']],
  ['{"b\\"a":1,"s":",\\"a\\":2","a":3}', ['3']],
  ['{"b\\"a":1}', []],
  ['{"b,\\"a":1,"c,":"a","d":[",","a"]}', []],
  ['{"s":["a",":"],"t":"a"}', []],
  ['{}', []],
])('only the outermost members of %s are found in JSON text', (text, values) => {
  const span = findMember(text, NAME);
  expect(span === undefined ? [] : [text.slice(span.start, span.end)]).toEqual(values);
  expect(findInObjects(text, objectSpans(text), NAME)).toEqual([span?.start ?? -1]);
});

describe('objectSpans', () => {
  const spansOf = (...texts: string[]) => objectSpans(texts.join(RECORD_SEPARATOR));
  /** What each object is, and what is nested in it. */
  const found = (...objects: object[]) => {
    const text = objects.map((object) => JSON.stringify(object)).join(RECORD_SEPARATOR);
    return objectSpans(text).map(({ nested = [], start, end }) => [
      JSON.parse(text.slice(start, end)),
      ...nested.map((span) => JSON.parse(text.slice(span.start, span.end))),
    ]);
  };

  test('finds the objects that are joined', () => {
    expect(spansOf('{"a":1}', '{}', '{"b":"}"}')).toEqual([
      { start: 0, end: 7, nested: undefined },
      { start: 8, end: 10, nested: undefined },
      { start: 11, end: 20, nested: undefined },
    ]);
    expect(found({ a: [1, 'x'] }, {}, { b: '}' })).toEqual([[{ a: [1, 'x'] }], [{}], [{ b: '}' }]]);
  });

  test('finds what is nested in them, as a whole', () => {
    const inner = { c: { d: [{}] }, text: '"{[}]' };
    const first = { a: inner, 'b"': [{}, inner], '': {}, n: 5 };
    expect(found(first, { a: {} }, {})).toEqual([[first, inner, [{}, inner], {}], [{ a: {} }, {}], [{}]]);
  });

  test.each<[string, object, ...object[]]>([
    ['a text', { a: '{', b: {} }, {}],
    ['a text that begins like an object behind a name', { a: ':{' }],
    ['a text with an escaped name', { a: 'x":{', b: '}' }],
    ['an escaped backslash', { a: '\\\\":{' }],
    ['a list that begins with something else', { a: [1, {}], b: [2] }, [1, {}], [2]],
    ['a list in a list', { a: [[{}]] }, [[{}]]],
    ['a text in a list', { a: [':{'] }, [':{']],
    ['the name of a member', { ':{': 1 }],
    ['a member whose name ends with a backslash', { 'a\\': {} }, {}],
    ['a member whose name ends with a colon', { 'a:': { b: 1 } }, { b: 1 }],
  ])('knows the meaning of a brace of %s', (_name, object, ...nested) => {
    const other = { b: { c: 1 } };
    const around = [other, other.b];
    expect(found(other, object, other)).toEqual([around, [object, ...nested], around]);
  });

  test('finds none in an empty text', () => {
    expect(spansOf('')).toEqual([]);
  });

  test('ends for any text', () => {
    const broken = `{"a":1,x{${RECORD_SEPARATOR}"{`.repeat(20_000);
    expect(objectSpans(broken).length).toBeGreaterThan(0);
  });
});

test('the search for members in JSON text ends for any text', () => {
  for (const text of ['', '{', '{"', '{"a', '{"a"', '{"a":', '{"a":"', '{"a":[', '{"a":1', '{"a":"\\']) {
    expect(() => findMember(text, NAME)).not.toThrow();
    expect(() => foundIn(text, 'a')).not.toThrow();
  }
});

const A = 'a'.repeat(24);
const B = 'b'.repeat(24);

test('readDocumentId returns an id that is text', () => {
  expect(readDocumentId(`{"o":{"_id":"x"},"_id":"${A}"}`)).toBe(A);
  expect(readDocumentId(`{"_id":"${A}","o":{"_id":"${B}"}}`)).toBe(A);
  expect(readDocumentId(`{"_id":"mine","x\\"_id":"${B}"}`)).toBe('mine');
  expect(readDocumentId('{"_id":5,"abcdefghijklmnopqrst":1}')).toBeUndefined();
  expect(readDocumentId('{"_id":5}')).toBeUndefined();
  expect(readDocumentId('{}')).toBeUndefined();
});

test('parseQuotedId returns nothing but an id in quotes', () => {
  const parsed = (text: string) => parseQuotedId(text, { start: 0, end: text.length });
  expect(parsed(`"${A}"`)).toBe(A);
  expect(['', `${A}xx`, `"${A}x`, `x${A}"`, `"${A.slice(1)}x"`, `"${A}a"`].map(parsed)).toEqual(
    Array.from({ length: 6 }),
  );
});

test('documentsById leaves out documents without an id that is text', async () => {
  const [a, b] = [`{"_id":"${A}"}`, `{"_id":"own"}`];
  expect([...(await documentsById([a, '{"_id":5}', b]))]).toEqual([
    [A, a],
    ['own', b],
  ]);
});
