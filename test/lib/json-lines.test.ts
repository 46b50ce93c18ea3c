import { expect, test } from 'vitest';
import { readJsonLines } from '../../src/lib/json-lines.ts';

const TEXT = '{\n  "fields": {\n    "a": {\n      "type": "Nope"\n    }\n  }\n}\n';

test('finds the line of a value, or of what is around it', () => {
  const lines = readJsonLines(TEXT);
  expect(lines.syntaxError).toBeUndefined();
  expect(lines.lineOf(['fields', 'a', 'type'])).toBe(4);
  expect(lines.lineOf(['fields', 'a'])).toBe(3);
  expect(lines.lineOf(['fields', 'a', 'default', 'x'])).toBe(3);
  expect(lines.lineOf(['settings'])).toBe(1);
  expect(lines.lineOf([])).toBe(1);
});

test('finds the line of a syntax error', () => {
  expect(readJsonLines('{\n  "a": 1,\n}').syntaxError).toEqual({
    line: 3,
    message: 'property name expected',
  });
  expect(readJsonLines('{\n // no\n}').syntaxError?.line).toBe(2);
  expect(readJsonLines('').syntaxError?.line).toBe(1);
});

test('survives any nesting', () => {
  expect(readJsonLines('['.repeat(200_000)).lineOf(['0'])).toBe(1);
});
