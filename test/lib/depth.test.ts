import { expect, test } from 'vitest';
import { isDepth, parseDepth } from '../../src/lib/depth.ts';

test('`true`, `all` and numbers are on, other text is off', () => {
  const on = { true: true, all: 'all', 0: 0, 2: 2, 999999999: 999_999_999 };
  for (const [text, compose] of Object.entries(on)) expect(parseDepth(text)).toBe(compose);
  const off = ['false', '', 'TRUE', 'All', '-1', '1.5', ' 2', '1e3', 'yes', '9'.repeat(30)];
  expect(off.map(parseDepth)).toEqual(off.map(() => false));
});

test('posted code gives a boolean, `all`, or a number of levels', () => {
  expect([true, false, 'all', 0, 7].every(isDepth)).toBe(true);
  expect(['true', -1, 1.5, null, {}, 2 ** 60].some(isDepth)).toBe(false);
});
