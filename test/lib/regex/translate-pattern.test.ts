// The text that is made; that it means the same is shown where it is run, in linear-regex.test.ts.

import { expect, test } from 'vitest';
import { createPatternReader } from '../../../src/lib/regex/pattern-reader.ts';
import { translateClass, translatePattern } from '../../../src/lib/regex/translate-pattern.ts';

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

const translate = (pattern: string) => translateClass(createPatternReader(pattern), false).text;

test.each([
  ['[a-c]', '[a-c]'],
  ['[^a]', '[^a]'],
  ['[a^]', '[a\\x{5e}]'],
  ['[-a]', '[\\x{2d}a]'],
  ['[a-]', '[a\\x{2d}]'],
  ['[\\d-z]', '[0-9\\x{2d}z]'],
  ['[a-\\d]', '[a\\x{2d}0-9]'],
  ['[\\b]', '[\\x{8}]'],
  ['[[:word:]', '[\\x{5b}\\x{3a}word\\x{3a}]'],
  ['[&&~~]', '[\\x{26}\\x{26}\\x{7e}\\x{7e}]'],
  ['[]', '[^\\x{0}-\\x{10ffff}]'],
  ['[^]', '[\\x{0}-\\x{10ffff}]'],
])('the character class %s becomes %s', (pattern, text) => {
  expect(translate(pattern)).toBe(text);
});

test.each(['[', '[a', '[a-', '[z-a]', '[\\B]'])('the character class %s is rejected', (pattern) => {
  expect(() => translate(pattern)).toThrow(expect.objectContaining({ reason: 'syntax' }));
});

test('a large character class has a higher weight', () => {
  const size = (pattern: string) => translateClass(createPatternReader(pattern), false).size;
  expect(size('[abc]')).toBe(1);
  expect(size('[\\p{L}\\p{N}]')).toBeGreaterThan(size('[\\p{L}]'));
});
