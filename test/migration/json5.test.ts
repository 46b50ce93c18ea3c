// JSON as people write it, read by the parser of JavaScript: nothing that is more than data.
import { describe, expect, it } from 'vitest';
import { readJson5 } from '../../src/migration/settings/json5.ts';

const valueIn = (text: string) => {
  const read = readJson5(text);
  return 'value' in read ? read.value : read.why;
};

describe('loose JSON', () => {
  it.each([
    ['{a: 1, \'b\': "x", 3: true,}', { a: 1, b: 'x', '3': true }],
    ['{ /* one */ "a": -1, // two\n b: +2.5e3, c: 0x10 }', { a: -1, b: 2500, c: 16 }],
    ['{"a": [1, [2, {}], null,], "b": false}', { a: [1, [2, {}], null], b: false }],
    ["{a: 'one \\\ntwo'}", { a: 'one two' }],
  ])('%s is read', (text, value) => {
    expect(readJson5(text)).toEqual({ value, isLoose: expect.any(Boolean), repeated: [] });
  });

  it('is told from plain JSON, and names what is given twice', () => {
    expect(readJson5('{"a": 1}')).toMatchObject({ isLoose: false });
    expect(readJson5('{"a": 1,}')).toMatchObject({ isLoose: true });
    expect(readJson5('{"a": 1, "a": 2}')).toMatchObject({ value: { a: 2 }, repeated: ['a'] });
  });

  it.each([
    ['{"__proto__": {"a": 1}}', '`__proto__` is a reserved name'],
    ['{a: b}', 'line 1: an expression is no value'],
    ['{\na: f()}', 'line 2: an expression is no value'],
    ['{a: `x`}', 'line 1: an expression is no value'],
    ['{a: !1}', 'line 1: an expression is no value'],
    ['{a: -"1"}', 'line 1: an expression is no value'],
    ['{a: -b}', 'line 1: an expression is no value'],
    ['{a: /x/}', 'line 1: a pattern is no value'],
    ['{a: 1n}', 'line 1: a pattern is no value'],
    ['{[a]: 1}', 'line 1: a name has to be text'],
    ['{[null]: 1}', 'line 1: a name has to be text'],
    ['{a() {}}', 'line 1: an expression is no value'],
    ['{get a() { return 1 }}', 'line 1: an expression is no value'],
    ['{a}', 'line 1: an expression is no value'],
    ['{...a}', 'line 1: an expression is no value'],
    ['{a: 1e999}', '`a` '],
    ['[1]', 'it is not a JSON object'],
    ['1', 'it is not a JSON object'],
    ['{a: 1', 'line 1 is not valid JSON'],
    ['{a: 1}); evil(', 'it is not valid JSON'],
    ['', 'is not valid JSON'],
    [`{a: ${'['.repeat(200)}${']'.repeat(200)}}`, 'line 1: it nests deeper than'],
    [`{a: ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'it nests too deep'],
  ])('%.40s is refused', (text, why) => {
    expect(valueIn(text)).toContain(why);
  });
});
