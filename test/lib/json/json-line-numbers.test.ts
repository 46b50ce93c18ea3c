import { expect, test } from 'vitest';
import { parseLineNumbers } from '../../../src/lib/json/json-line-numbers.ts';

const TEXT = '{\n  "fields": {\n    "a": {\n      "type": "Nope"\n    }\n  }\n}\n';

test('a JSON path has the line of its value, or of the value around it', () => {
  const lines = parseLineNumbers(TEXT);
  expect(lines.syntaxError).toBeUndefined();
  expect(lines.findNearest(['fields', 'a', 'type'])).toBe(4);
  expect(lines.findNearest(['fields', 'a'])).toBe(3);
  expect(lines.findNearest(['fields', 'a', 'default', 'x'])).toBe(3);
  expect(lines.findNearest(['settings'])).toBe(1);
  expect(lines.findNearest([])).toBe(1);
});

test('a JSON syntax error has its line', () => {
  expect(parseLineNumbers('{\n  "a": 1,\n}').syntaxError).toEqual({
    line: 3,
    column: 1,
    message: 'expected a name in double quotes',
  });
  expect(parseLineNumbers('{\n // no\n}').syntaxError?.line).toBe(2);
  expect(parseLineNumbers('').syntaxError?.line).toBe(1);
});

test('line numbers of JSON are found in text of any nesting', () => {
  expect(parseLineNumbers('['.repeat(200_000)).findNearest(['0'])).toBe(1);
});
