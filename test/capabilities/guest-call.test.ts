import { expect, test } from 'vitest';
import {
  GuestCallError,
  getArgument,
  guestCallErrorResult,
  parseArguments,
} from '../../src/capabilities/guest-call.ts';
import { AppError } from '../../src/errors/errors.ts';
import { createUntrustedJsonParser } from '../../src/lib/json/json-scan.ts';

const told = (error: AppError | GuestCallError) => {
  const { ok, text } = guestCallErrorResult(error);
  expect(ok).toBe(false);
  return JSON.parse(text);
};

test('a GuestCallError is a code and a message for the guest', () => {
  expect(told(new GuestCallError('TOO_DEEP', 'no "further"'))).toEqual({
    code: 'TOO_DEEP',
    message: 'no "further"',
  });
});

test('an AppError keeps its items for the guest', () => {
  const item = { field: 'title', message: 'must be specified', code: 'ERROR_REQUIRED' };
  expect(told(new AppError('DOCUMENT_INVALID', { items: [item] }))).toEqual({
    code: 'DOCUMENT_INVALID',
    message: '`title`: must be specified',
    errors: [item],
    statusCode: 400,
  });
  const two = told(new AppError('DOCUMENT_INVALID', { items: [item, item] }));
  expect(two.message).toBe('The document is not valid');
  expect(two.errors).toHaveLength(2);
});

test('an internal error hides its cause from the guest', () => {
  const cause = new Error('SQLITE_CORRUPT at /var/data');
  expect(guestCallErrorResult(new AppError('INTERNAL', { cause })).text).toBe(
    '{"code":"INTERNAL","message":"Something went wrong"}',
  );
  expect(told(new AppError('STORE_UNAVAILABLE', { cause })).errors).toBeUndefined();
});

const texts = createUntrustedJsonParser();
const read = (text: string) => parseArguments(text, texts);

const refusal = (text: string): Promise<{ code: string; message: string }> =>
  read(text).then(
    () => {
      throw new Error('nothing was refused');
    },
    (error) => error,
  );

test('parseArguments accepts an object', async () => {
  expect(await read('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
});

test.each(['', 'null', '1', '"x"', '[]', '{', '{"a":}', 'undefined', '{"a":1}x', "{'a':1}"])(
  'refuses %j',
  async (text) => {
    expect(await refusal(text)).toMatchObject({
      code: 'BAD_ARGUMENTS',
      message: 'The arguments cannot be read',
    });
  },
);

test.each([
  ['a deep nest', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
  ['__proto__', '{"query":{"__proto__":{"x":1}}}'],
  ['NUL in a name', '{"a\\u0000b":1}'],
  ['a lone surrogate', '{"a":"\\ud800"}'],
  ['a number beyond all', '{"a":1e999}'],
])('parseArguments rejects %s', async (_name, text) => {
  expect((await refusal(text)).code).toBe('BAD_REQUEST');
});

test('parseArguments rejects a nest that is too deep to be parsed', async () => {
  expect((await refusal(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).code).toBe('BAD_ARGUMENTS');
});

test('the documents of a create are as deep as a body of HTTP, and named as there', async () => {
  const nest = (levels: number) => `{"documents":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  expect(await parseArguments(nest(100), texts, 1)).toHaveProperty('documents.a.a');
  const path = Array.from({ length: 100 }, () => 'a').join('.');
  await expect(parseArguments(nest(101), texts, 1)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    items: [{ field: path, message: `\`${path}\` is nested deeper than 100 levels` }],
  });
});

test('what is unavailable keeps its status for the guest', () => {
  const { statusCode, errors } = told(new AppError('STORE_UNAVAILABLE'));
  expect([statusCode, errors]).toEqual([503, undefined]);
});

test('arguments have at most a megabyte in bytes', async () => {
  const of = (character: string, count: number) => JSON.stringify({ a: character.repeat(count) });
  expect(await read(of('x', 1_048_568))).toBeDefined();
  expect((await refusal(of('x', 1_048_569))).message).toContain('1048576 bytes');
  expect((await refusal(of('é', 700_000))).message).toContain('1048576 bytes');
});

test('long names are cut in the error of arguments', async () => {
  const error = (await refusal(`{"${'x'.repeat(5000)}":{"__proto__":1}}`)) as AppError;
  const { message, errors } = told(error);
  expect([message, errors[0].field, errors[0].message].map(({ length }) => length <= 1001)).toEqual([
    true,
    true,
    true,
  ]);
});

test('only own members are arguments, and null counts as absent', async () => {
  expect(getArgument({ a: 1, b: null }, 'a')).toBe(1);
  expect(getArgument({ a: 1, b: null }, 'b')).toBeUndefined();
  expect(getArgument({}, 'toString')).toBeUndefined();
  expect(getArgument({ a: false }, 'a')).toBe(false);
});

test('arguments have at most 100,000 values of any length', async () => {
  // The object and its colon count as three.
  const of = (count: number) => `{"a":[${'1,'.repeat(count)}1]}`;
  expect(await read(of(99_996))).toBeDefined();
  expect((await refusal(of(99_997))).message).toContain('more than 100000 values');
});
