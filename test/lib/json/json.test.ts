import { expect, it, test } from 'vitest';
import { findElementIssue, findJsonIssue, isJsonObject, MAX_JSON_DEPTH } from '../../../src/lib/json/json.ts';

it.each([{}, { a: 1 }, Object.create(null)])('%j is a JSON object', (value) => {
  expect(isJsonObject(value)).toBe(true);
});

it.each([null, [], 'text', 1, true, undefined])('%j is not a JSON object', (value) => {
  expect(isJsonObject(value)).toBe(false);
});

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test.each([
  ['scalars', null],
  ['NUL inside text', { a: 'x\0y' }],
  ['a surrogate pair', ['😀']],
  ['keys of every other kind', { constructor: 1, toString: { '': [] } }],
  ['the deepest nesting allowed', nested(MAX_JSON_DEPTH)],
])('the JSON check accepts %s', (_name, value) => {
  expect(findJsonIssue(value)).toBeUndefined();
});

test.each([
  ['a lone surrogate', '{"a":[1,{"b":"\\ud800"}]}', 'a.1.b', /surrogate/],
  ['an overflowing number', '{"a":1e999}', 'a', /finite/],
  ['a key __proto__', '{"a":{"__proto__":1}}', 'a.__proto__', /reserved/],
  ['NUL in a key', '{"a\\u0000":1}', 'a\0', /NUL/],
  ['a lone surrogate in a key', '{"\\udc00":1}', '\ufffd', /surrogate/],
  ['keys without a name', '{"a":{"":{"":1e999}}}', 'a..', /finite/],
  ['a faulty root', '"\\ud800"', '', /surrogate/],
])('the JSON check names the path of %s', (_name, text, path, message) => {
  const fault = findJsonIssue(JSON.parse(text));
  expect(fault?.path).toBe(path);
  expect(fault?.message).toMatch(message);
});

test('the JSON check rejects nesting above the limit, however deep', () => {
  expect(findJsonIssue(nested(MAX_JSON_DEPTH + 1))?.message).toMatch(/deeper than 100/);
  expect(findJsonIssue(nested(200_000))?.message).toMatch(/deeper than 100/);
});

test('the JSON check of one list element has its path from the list, and one level less', () => {
  expect(findElementIssue({ a: [1] }, 7)).toBeUndefined();
  expect(findElementIssue({ a: '\ud800' }, 7)).toMatchObject({ path: '7.a' });
  expect(findElementIssue(nested(MAX_JSON_DEPTH - 1), 0)).toBeUndefined();
  expect(findElementIssue(nested(MAX_JSON_DEPTH), 0)?.message).toMatch(/deeper than 100/);
});
