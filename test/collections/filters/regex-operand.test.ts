import { expect, test } from 'vitest';
import { createFilterQuota } from '../../../src/collections/filters/filter-quota.ts';
import { parseRegex, parseSlashedRegex } from '../../../src/collections/filters/regex-operand.ts';
import { AppError } from '../../../src/errors.ts';

const place = () => ({ path: 'title', budget: createFilterQuota({ filterDepth: 1, filterNodes: 1 }) });

const refused = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error instanceof AppError ? error.items[0]?.field : error;
  }
  return 'nothing was refused';
};

test('keeps pattern and flags', () => {
  expect(parseRegex(place(), 'a|b', 'ims')).toEqual({ kind: 'regex', pattern: 'a|b', flags: 'ims' });
  expect(parseSlashedRegex(place(), '/a/b/s')).toEqual({ kind: 'regex', pattern: 'a/b', flags: 's' });
  expect(parseSlashedRegex(place(), '/a\nb/')).toEqual({ kind: 'regex', pattern: 'a\nb', flags: '' });
});

test.each([
  ['look-around', '(?=a)', ''],
  ['a back reference', '(a)\\1', ''],
  ['broken syntax', '(', ''],
  ['a huge pattern', 'a'.repeat(5000), ''],
  ['exploding repeats', '((a{1000}){1000}){1000}', ''],
  ['an unknown flag', 'a', 'x'],
  ['a flag twice', 'a', 'ii'],
])('refuses %s', (_name, pattern, flags) => {
  expect(refused(() => parseRegex(place(), pattern, flags))).toBe('title');
});

test('all patterns of a filter have one bound', () => {
  const shared = place();
  const large = 'a'.repeat(900);
  parseRegex(shared, large, '');
  parseRegex(shared, large, '');
  expect(refused(() => parseRegex(shared, large, ''))).toBe('title');
  const classes = place();
  const letters = Array.from({ length: 480 }, (_, n) => String.fromCodePoint(0x400 + 2 * n)).join('');
  for (let n = 0; n < 4; n += 1) parseRegex(classes, `[${letters}]`, 'i');
  expect(refused(() => parseRegex(classes, `[${letters}]`, 'i'))).toBe('title');
});

test.each(['plain', '/open', '//', '/a/G', ''])('refuses %j where a slashed pattern is needed', (text) => {
  expect(refused(() => parseSlashedRegex(place(), text))).toBe('title');
});
