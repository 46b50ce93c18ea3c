import { expect, test } from 'vitest';
import { resolveFields, withVisibleId } from '../../../src/collections/reads/resolve-read.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

type Limiters = Readonly<Record<string, 0 | 1>> | null;

test.each<[string, JsonObject | undefined, Limiters, unknown, unknown]>([
  ['nothing', undefined, null, {}, undefined],
  ['an empty map', {}, null, {}, undefined],
  ['an inclusion', { a: 1, b: true }, null, { a: 1, b: 1 }, { include: ['a', 'b'] }],
  ['an exclusion', { a: 0, b: false }, null, { a: 0, b: 0 }, { exclude: ['a', 'b'] }],
  ['no _id in an inclusion', { a: 1, _id: 0 }, null, { a: 1, _id: 0 }, { include: ['a'], exclude: ['_id'] }],
  ['_id alone', { _id: 1 }, null, { _id: 1 }, { include: ['_id'] }],
  ['no _id alone', { _id: 0 }, null, { _id: 0 }, { exclude: ['_id'] }],
  ['limiters alone', undefined, { a: 1 }, { a: 1 }, { include: ['a'] }],
  ['limiters that the request extends', { b: 1 }, { a: 1 }, { b: 1, a: 1 }, { include: ['b', 'a'] }],
  ['limiters that the request cannot undo', { a: 0 }, { a: 1 }, { a: 1 }, { include: ['a'] }],
  ['two exclusions', { b: 0 }, { a: 0 }, { b: 0, a: 0 }, { exclude: ['a', 'b'] }],
  ['asked less limited', { a: 1, b: 1 }, { b: 0 }, { a: 1, b: 0 }, { include: ['a'], exclude: ['b'] }],
  ['asked only what is limited', { b: 1 }, { b: 0 }, { b: 0 }, { include: [], exclude: ['b'] }],
  ['limiting less excluded', { c: 0 }, { a: 1 }, { c: 0, a: 1 }, { include: ['a'], exclude: ['c'] }],
  ['unknown names', { nope: 1 }, null, { nope: 1 }, { include: ['nope'] }],
  ['what is no path', { '': 1, $x: 1, 'a..b': 1 }, null, { '': 1, $x: 1, 'a..b': 1 }, { include: [] }],
  [
    'a path under another',
    { 'a.b.c': 1, a: 1, ab: 1 },
    null,
    { 'a.b.c': 1, a: 1, ab: 1 },
    { include: ['a', 'ab'] },
  ],
])('%s', (_name, asked, limiters, fields, projection) => {
  expect(resolveFields(asked, limiters)).toEqual({ fields, projection });
});

test.each<[JsonObject | undefined, Limiters]>([
  [{ a: 1, b: 0 }, null],
  [undefined, { a: 1, b: 0 }],
  [{ a: 1 }, { b: 1, c: 0 }],
])('a mixture within one map is refused: %j %j', (asked, limiters) => {
  try {
    resolveFields(asked, limiters);
    expect.unreachable();
  } catch (error) {
    const [item] = (error as AppError).items;
    expect(item).toMatchObject({ field: 'fields', title: 'Invalid Fields Parameter Provided' });
    expect(item?.details).toContain('database error');
  }
});

test.each([2, -1, 'x', null, {}])('a member %j of `fields` is rejected', (value) => {
  expect(() => resolveFields({ a: value }, null)).toThrow(AppError);
});

test('a key __proto__ is only data', () => {
  expect(resolveFields(JSON.parse('{"__proto__":1}'), null).projection).toEqual({ include: [] });
  expect(Object.getPrototypeOf(resolveFields(JSON.parse('{"__proto__":1}'), null).fields)).toBe(
    Object.prototype,
  );
});

test('the id can be shown on the way', () => {
  expect(withVisibleId(undefined)).toEqual({ projection: undefined, hideId: false });
  expect(withVisibleId({ exclude: ['a'] })).toEqual({ projection: { exclude: ['a'] }, hideId: false });
  expect(withVisibleId({ include: ['a'], exclude: ['_id', 'b'] })).toEqual({
    projection: { include: ['a'], exclude: ['b'] },
    hideId: true,
  });
});
