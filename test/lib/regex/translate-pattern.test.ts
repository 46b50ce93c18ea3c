// The text that is made; that it means the same is shown where it is run, in linear-regex.test.ts.
import { expect, test } from 'vitest';
import { translatePattern } from '../../../src/lib/regex/translate-pattern.ts';

test.each([
  ['a|b', '', 'a|b'],
  ['a', 'i', '(?i:a)'],
  ['^a$', '', '\\Aa\\z'],
  ['^a$', 'm', '(?m:^)a(?m:$)'],
  ['(a)(?<n>b)(?:c)', '', '(?:a)(?:b)(?:c)'],
  ['a+?', '', '(?:a)+'],
  ['a{2,}', '', '(?:a){2,}'],
  ['(?i:a)', '', '(?i:a)'],
  ['(?-i:a)', 'i', '(?i:(?-i:a))'],
  ['(?m-s:^)', 's', '(?:(?m:^))'],
  ['a{b', '', 'a\\x{7b}b'],
  ['\\d', 'i', '(?i:(?-i:[0-9]))'],
  ['[^x]', 'i', '(?i:(?-i:[^xX]))'],
])('the pattern /%s/%s becomes %s', (pattern, flags, text) => {
  expect(translatePattern(pattern, flags).text).toBe(text);
});

test('repetitions in a pattern are counted as the engine expands them', () => {
  expect(() => translatePattern('(a{30}){30}', '')).not.toThrow();
  expect(() => translatePattern('(a{32}){32}', '')).toThrow(expect.objectContaining({ reason: 'too-large' }));
  expect(() => translatePattern('(?:a|b|c){400}', '')).toThrow(
    expect.objectContaining({ reason: 'too-large' }),
  );
});
