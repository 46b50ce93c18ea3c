import { expect, it } from 'vitest';
import { parsePattern } from '../../../../src/stores/mongo-documents/filters/parse-pattern.ts';
import { serverPatterns } from '../../../../src/stores/mongo-documents/filters/server-pattern.ts';

/** The texts of what the server would run. */
function server(pattern: string, flags = '') {
  const { patterns, exact } = serverPatterns(parsePattern(pattern, flags));
  return [...patterns.map((one) => one.pattern), ...(exact ? [] : ['inexact'])];
}

it.each([
  ['abc', '', ['abc']],
  ['^a.c$', 's', ['\\Aa(?s:.)c\\z']],
  ['a|^b', '', ['a', '\\Ab']],
  ['(?:a|b)c', '', ['ac', 'bc']],
  ['(?<name>a)(?i:b)', '', ['a[\\x{62}\\x{42}]']],
  ['a{2}b?', '', ['aa', 'aab']],
  ['.*a.*', '', ['a']],
  ['^.*a', 's', ['a']],
  ['^.*a', '', ['\\A', 'inexact']],
  ['a.*bcd', '', ['bcd', 'inexact']],
  ['\\p{L}', '', ['', 'inexact']],
  ['[\\p{L}x]ab', '', ['ab', 'inexact']],
  ['[a-c\\d-]', '', ['[\\x{61}-\\x{63}\\x{30}-\\x{39}\\x{2d}]']],
  ['[^\\0-b]', '', ['[\\x{63}-\\x{d7ff}\\x{e000}-\\x{10ffff}]']],
  ['[\\b]', '', ['\\x{8}']],
  ['[]', '', []],
  ['[^]', '', ['(?s:.)']],
  ['^a$', 'm', ['(?<![^\\x{a}])a(?![^\\x{a}])']],
  ['\\.\\/ \\n', '', ['\\.\\/\\x{20}\\x{a}']],
  ['\\ud83d\\ude00', '', ['😀']],
  ['\\ud83d', '', []],
  ['{', '', ['\\{']],
])('the pattern %s with flags %j is parsed', (pattern, flags, expected) => {
  expect(server(pattern, flags)).toEqual(expected);
});

it('word boundaries are those of ASCII', () => {
  expect(server('\\b')[0]).toContain('(?<=[0-9A-Za-z_])');
  expect(server('\\B')[0]).toContain('(?<![0-9A-Za-z_])');
});
