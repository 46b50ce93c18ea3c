import { expect, test } from 'vitest';
import { createIssueCollector } from '../../../src/collections/specifications/issue-collector.ts';
import { createUnknownAttributes } from '../../../src/collections/specifications/near-misses.ts';
import { parseValidation } from '../../../src/collections/specifications/parse-field.ts';
import { createPatternCompiler } from '../../../src/collections/specifications/pattern-compiler.ts';
import type { Json } from '../../../src/lib/json/json.ts';

function read(source: Json) {
  const report = createIssueCollector();
  const rules = parseValidation('a', source, {
    issues: report,
    patterns: createPatternCompiler(),
    attributes: createUnknownAttributes(),
  });
  return { rules, messages: report.issues.map(({ message }) => message), warnings: report.warnings };
}

test('lengths and a pattern in `validation` are parsed', () => {
  const { rules, messages, warnings } = read({
    minLength: 0,
    maxLength: 5,
    regex: { pattern: '^a', flags: 'gi' },
  });
  expect(messages).toEqual([]);
  expect(warnings).toEqual([]);
  expect(rules).toMatchObject({ minLength: 0, maxLength: 5, regex: { pattern: '^a', flags: 'i' } });
  expect(rules.regex?.linear?.test('Abc')).toBe(true);
});

test('a missing or null rule of `validation` is no rule', () => {
  expect(read(null).rules).toEqual({});
  expect(read({ minLength: null, regex: null }).rules).toEqual({});
});

test.each<[Json, string]>([
  [5, '`validation` must be an object'],
  [{ minLength: -1 }, '`validation.minLength`'],
  [{ maxLength: 1.5 }, '`validation.maxLength`'],
  [{ maxLength: '5' }, '`validation.maxLength`'],
  [{ minLength: 3, maxLength: 2 }, 'is greater than'],
  [{ regex: '^a' }, '`validation.regex`'],
  [{ regex: {} }, '`validation.regex`'],
  [{ regex: { pattern: 'a', flags: 'y' } }, '`validation.regex.flags`'],
  [{ regex: { pattern: 'a', flags: 5 } }, '`validation.regex.flags`'],
  [{ regex: { pattern: '(' } }, 'is not a regular expression: Unterminated group'],
  [{ regex: { pattern: 'a'.repeat(10_001) } }, 'longer than'],
])('the `validation` %j is rejected', (source, text) => {
  const { messages } = read(source);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain(text);
});

test('slashes around a pattern, patterns that need the worker, and unknown rules are warnings', () => {
  expect(read({ regex: { pattern: '/^a/' } }).warnings[0]?.message).toContain('slashes');
  const apart = read({ regex: { pattern: '(?=a)' } });
  expect(apart.warnings[0]?.message).toContain('linear');
  expect(apart.rules.regex?.linear).toBeUndefined();
  expect(read({ minlength: 5 }).warnings[0]?.message).toContain('`validation.minlength`');
});
