import { expect, test } from 'vitest';
import { matchPattern } from '../../src/workers/pattern.ts';

const limitMs = 50;

test('every text has to match', () => {
  expect(matchPattern({ pattern: '(?<=a)b', flags: '', texts: ['ab', 'xab'], limitMs })).toBe(true);
  expect(matchPattern({ pattern: '(?<=a)b', flags: '', texts: ['ab', 'b'], limitMs })).toBe(false);
});

test('flags count, and characters are code points where the pattern permits it', () => {
  expect(matchPattern({ pattern: '^(?=A)a.$', flags: 'i', texts: ['A\u{1F600}'], limitMs })).toBe(true);
  expect(matchPattern({ pattern: '^(?=a)a\\-$', flags: '', texts: ['a-'], limitMs })).toBe(true);
});

test('time over counts as no match', () => {
  const task = { pattern: '^(a|aa)+$(?=b)', flags: '', texts: [`${'a'.repeat(60)}!`], limitMs };
  expect(matchPattern(task)).toBe(false);
});
