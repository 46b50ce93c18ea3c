import { expect, test } from 'vitest';
import { evaluateConditions, matchesIfRange } from '../../../src/http/media/conditions.ts';

const MODIFIED = Date.UTC(1994, 10, 6, 8, 49, 37, 500);
const FILE = { tag: '"abc"', modifiedAt: MODIFIED };
const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT';
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const check = (headers: Record<string, string>) => evaluateConditions(headers, FILE);

test.each([
  [{ 'if-none-match': '"abc"' }, 'unmodified'],
  [{ 'if-none-match': '"x", W/"abc"' }, 'unmodified'],
  [{ 'if-none-match': '*' }, 'unmodified'],
  [{ 'if-none-match': '"x"' }, 'send'],
  [{ 'if-none-match': 'abc' }, 'send'],
  [{ 'if-none-match': '"x"', 'if-modified-since': SAME }, 'send'],
  [{ 'if-modified-since': SAME }, 'unmodified'],
  [{ 'if-modified-since': BEFORE }, 'send'],
  [{ 'if-modified-since': '1994-11-06' }, 'send'],
  [{ 'if-modified-since': 'Sun, 99 Nov 1994 08:49:37 GMT' }, 'send'],
  [{ 'if-match': '"abc"' }, 'send'],
  [{ 'if-match': '"x", "abc"' }, 'send'],
  [{ 'if-match': '*' }, 'send'],
  [{ 'if-match': 'W/"abc"' }, 'failed'],
  [{ 'if-match': '"x"' }, 'failed'],
  [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, 'send'],
  [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 'unmodified'],
  [{ 'if-unmodified-since': SAME }, 'send'],
  [{ 'if-unmodified-since': BEFORE }, 'failed'],
  [{ 'if-unmodified-since': 'yesterday' }, 'send'],
  [{}, 'send'],
] as const)('%j: %s', (headers, verdict) => {
  expect(check({ ...headers })).toBe(verdict);
});

test('dates may have any of the three forms of HTTP', () => {
  for (const date of [SAME, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    expect(check({ 'if-modified-since': date })).toBe('unmodified');
    expect(matchesIfRange({ 'if-range': date }, FILE)).toBe(true);
  }
});

test('a part is sent of the very state that the client has a part of', () => {
  expect(matchesIfRange({}, FILE)).toBe(true);
  expect(matchesIfRange({ 'if-range': '"abc"' }, FILE)).toBe(true);
  for (const other of ['"x"', 'W/"abc"', '*', BEFORE, 'Sun, 06 Nov 1994 08:49:38 GMT', 'tomorrow']) {
    expect(matchesIfRange({ 'if-range': other }, FILE)).toBe(false);
  }
});
