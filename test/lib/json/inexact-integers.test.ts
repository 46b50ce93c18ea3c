import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findInexactInteger, isInexactInteger } from '../../../src/lib/json/inexact-integers.ts';
import { findElementIssue, findJsonIssue } from '../../../src/lib/json/json.ts';

test.each([
  ['9007199254740993', true],
  ['-9007199254740993', true],
  ['9007199254740995', true],
  ['12345678901234567890', true],
  ['1234567891234567891', true],
  ['18446744073709551615', true],
  ['10000000000000000000000001', true],
  ['9007199254740991', false],
  ['9007199254740992', false],
  ['9007199254740994', false],
  ['18446744073709551616', false],
  ['100000000000000000000', false],
  ['123456789012345680000', false],
  ['0', false],
  ['-0', false],
  ['0.30000000000000004441', false],
  ['9007199254740993.5', false],
  ['1e23', false],
  ['9'.repeat(400), false],
])('%s is an integer that a number cannot hold: %s', (literal, inexact) => {
  expect(isInexactInteger(literal)).toBe(inexact);
});

test('every number that JSON shows can be read again', () => {
  for (let power = 50; power < 1024; power += 1) {
    for (const number of [2 ** power, 2 ** power * (1 + Number.EPSILON), -(2 ** power) / 3]) {
      expect(findInexactInteger(JSON.stringify([number]))).toBeUndefined();
    }
  }
});

test.each([
  ['9007199254740993', ''],
  ['{"n":9007199254740993}', 'n'],
  ['{"a":{"b":[1,"x",{"c":-9007199254740993}]}}', 'a.b.2.c'],
  ['{"a":[],"b":{},"c":9007199254740993}', 'c'],
  ['{"9007199254740993":1,"\\u0061\\"":[[9007199254740993]]}', 'a".0.0'],
  ['[ {"n" : 1 } ,\n{"n" :\t9007199254740993 } ]', '1.n'],
  ['{"t":"\\\\","n":9007199254740993}', 'n'],
  ['{"t":"\\"9007199254740993","u":"9007199254740993\\\\"}', undefined],
  [
    '{"n":[0.9007199254740993,-1.9007199254740993e-10,1.5E+2,2e1,9007199254740993e0,9007199254740993.0]}',
    undefined,
  ],
  ['{"n":[1.5e2,0.1],"m":[1e5,-9007199254740993]}', 'm.1'],
  ['{"n":[9007199254740992,1e300,123456789012345680000,-1.5e-7,9007199254740993.5]}', undefined],
])('in %s it is found at %s', (text, path) => {
  JSON.parse(text);
  expect(findInexactInteger(text)?.path).toBe(path);
});

test('the first index of a part of a list counts', () => {
  expect(findInexactInteger('[1,{"n":9007199254740993}]', 40)?.path).toBe('41.n');
});

test('a text is read only where a value holds a number that may not be what was sent', () => {
  let asked = 0;
  const findInexact = () => {
    asked += 1;
    return undefined;
  };
  expect(findJsonIssue({ a: [1, -9007199254740991, 0.1, 'x', null] }, findInexact)).toBeUndefined();
  expect(asked).toBe(0);
  expect(findJsonIssue({ a: [2 ** 53, 2 ** 54], b: 1e300 }, findInexact)).toBeUndefined();
  expect(findElementIssue(-(2 ** 53), 3, findInexact)).toBeUndefined();
  expect(asked).toBe(2);
  expect(findJsonIssue({ a: 1e300, b: Number.POSITIVE_INFINITY }, findInexact)?.path).toBe('b');
  expect(findJsonIssue({ a: 1e300, b: '\ud800' }, findInexact)?.path).toBe('b');
  expect(findJsonIssue({ a: 1e300, b: Number.NaN })?.path).toBe('b');
});

test('of generated texts it finds what a parser with the texts of numbers finds', () => {
  const literal = fc.oneof(
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.constantFrom('9007199254740993', '0.9007199254740993', '1e5', '"9007199254740993"', '"\\\\"', '"\\""'),
  );
  fc.assert(
    fc.property(fc.json(), fc.array(literal), (json, literals) => {
      const text = ` {"a" : ${json} ,"b":[ ${literals.join(' , ')}],"c":{"d":${literals[0] ?? 0}}}`;
      let isChanged = false;
      const note = (_key: string, value: unknown, { source }: { source?: string }) => {
        isChanged ||= typeof value === 'number' && isInexactInteger(source ?? '');
        return value;
      };
      JSON.parse(text, note as never);
      expect(findInexactInteger(text) !== undefined).toBe(isChanged);
    }),
  );
});
