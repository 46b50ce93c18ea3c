import { expect, test } from 'vitest';
import { argument, readArguments } from '../../../src/endpoints/capabilities/call-arguments.ts';

const refusal = (text: string) => {
  try {
    readArguments(text);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was refused');
};

test('reads an object', () => {
  expect(readArguments('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
});

test.each(['', 'null', '1', '"x"', '[]', '{', '{"a":}', 'undefined', '{"a":1}x', "{'a':1}"])(
  'refuses %j',
  (text) => {
    expect(refusal(text)).toMatchObject({ code: 'BAD_ARGUMENTS', message: 'The arguments cannot be read' });
  },
);

test.each([
  ['a deep nest', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
  ['a very deep nest', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['__proto__', '{"query":{"__proto__":{"x":1}}}'],
  ['NUL in a name', '{"a\\u0000b":1}'],
  ['a lone surrogate', '{"a":"\\ud800"}'],
  ['a number beyond all', '{"a":1e999}'],
])('refuses %s', (_name, text) => {
  expect(refusal(text).code).toBe('BAD_ARGUMENTS');
});

test('a megabyte is the most, in bytes', () => {
  const of = (character: string, count: number) => JSON.stringify({ a: character.repeat(count) });
  expect(readArguments(of('x', 1_048_568))).toBeDefined();
  expect(refusal(of('x', 1_048_569)).message).toContain('1048576 bytes');
  expect(refusal(of('é', 700_000)).message).toContain('1048576 bytes');
});

test('names in a refusal are cut', () => {
  expect(refusal(`{"${'x'.repeat(5000)}":{"__proto__":1}}`).message.length).toBeLessThan(250);
});

test('only own members are arguments, and null is none', () => {
  expect(argument({ a: 1, b: null }, 'a')).toBe(1);
  expect(argument({ a: 1, b: null }, 'b')).toBeUndefined();
  expect(argument({}, 'toString')).toBeUndefined();
  expect(argument({ a: false }, 'a')).toBe(false);
});

test('100,000 values are the most, however short', () => {
  // The object and its colon count as three.
  const of = (count: number) => `{"a":[${'1,'.repeat(count)}1]}`;
  expect(readArguments(of(99_996))).toBeDefined();
  expect(refusal(of(99_997)).message).toContain('more than 100000 values');
});
