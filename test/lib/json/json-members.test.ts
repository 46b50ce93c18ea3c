import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMemberSpans } from '../../../src/lib/json/json-members.ts';

/** Any code point, lone surrogates too: the unit `binary` of fast-check takes two seconds to build. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

const namesOf = (object: object) => new Map(Object.keys(object).map((name) => [JSON.stringify(name), name]));
const plainObjects = fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue(), { noNullPrototype: true });

test('findMemberSpans finds every member of a JSON object', () => {
  fc.assert(
    fc.property(plainObjects, (object) => {
      const text = JSON.stringify(object);
      const found = findMemberSpans(text, namesOf(object));
      const read = [...found].map(([name, { start, end }]) => [name, JSON.parse(text.slice(start, end))]);
      expect(Object.fromEntries(read)).toEqual(JSON.parse(text));
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
  ['{"s":["a",":"],"t":"a"}', []],
  ['{}', []],
])('only the outermost members of %s are found in JSON text', (text, values) => {
  const spans = [...findMemberSpans(text, new Map([['"a"', 'a']])).values()];
  expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(values);
});

test('the search for members in JSON text ends for any text', () => {
  for (const text of ['', '{', '{"', '{"a', '{"a"', '{"a":', '{"a":"', '{"a":[', '{"a":1', '{"a":"\\']) {
    expect(() => findMemberSpans(text, new Map([['"a"', 'a']]))).not.toThrow();
  }
});
