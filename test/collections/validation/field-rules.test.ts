import { expect, test } from 'vitest';
import {
  checkValue,
  createPatternQuota,
  fieldIssue,
} from '../../../src/collections/validation/field-rules.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { makeCollection } from '../../helpers/fixtures/specifications.ts';

function codeOf(field: Json, value: Json): unknown {
  const live = makeCollection({ a: field }).fields.get('a')!;
  const finding = checkValue(live, value, createPatternQuota());
  return finding === undefined ? undefined : 'rule' in finding ? 'pending' : finding.code;
}

test.each<[Json, Json, unknown]>([
  [{ validation: { minLength: 2 } }, 'a', 'ERROR_MIN_LENGTH'],
  [{ validation: { minLength: 2 } }, 'ab', undefined],
  [{ validation: { minLength: 1 } }, '', 'ERROR_MIN_LENGTH'],
  [{ validation: { minLength: 0 } }, '', undefined],
  [{ validation: { maxLength: 2 } }, 'abc', 'ERROR_MAX_LENGTH'],
  [{ validation: { maxLength: 0 } }, '', undefined],
  [{ validation: { maxLength: 2 } }, '\u{1F600}\u{1F600}', undefined],
  [{ validation: { maxLength: 2 } }, '\u{1F600}\u{1F600}a', 'ERROR_MAX_LENGTH'],
  [{ validation: { minLength: 2 } }, '\u{1F600}', 'ERROR_MIN_LENGTH'],
  [{ validation: { maxLength: 2 } }, ['ab', 'cd'], undefined],
  [{ validation: { maxLength: 2 } }, ['ab', 'cde'], 'ERROR_MAX_LENGTH'],
  [{ type: 'Number', validation: { maxLength: 2 } }, 123, 'ERROR_MAX_LENGTH'],
  [{ type: 'Number', validation: { maxLength: 2 } }, 12, undefined],
  [{ type: 'Mixed', validation: { minLength: 50 } }, { toString: 1 }, undefined],
  [{ validation: { regex: { pattern: '^a' } } }, ['a', 'ab'], undefined],
  [{ validation: { regex: { pattern: '^a' } } }, ['a', 'b'], 'ERROR_REGEX'],
  [{ validation: { regex: { pattern: '^A$', flags: 'i' } } }, 'a', undefined],
  [{ validation: { regex: { pattern: 'a' }, maxLength: 1 } }, 'bb', 'ERROR_REGEX'],
  [{ validation: { regex: { pattern: 'a' }, maxLength: 1 } }, 'ab', 'ERROR_MAX_LENGTH'],
  [{ validation: { regex: { pattern: '1' } } }, 1, 'ERROR_VALUE_INVALID'],
  [{ validation: { regex: { pattern: '(?=a)' } } }, 'b', 'pending'],
  [{ validation: { regex: { pattern: '(?=a)' } } }, [], undefined],
])('%j holds %j: %s', (field, value, code) => {
  expect(codeOf(field, value)).toBe(code);
});

test('a text that is long for its pattern is left to a worker, and so are many that are long together', () => {
  const field = makeCollection({ a: { validation: { regex: { pattern: '^[ab]{100}c?' } } } }).fields.get(
    'a',
  )!;
  const allowance = createPatternQuota();
  expect(checkValue(field, 'a'.repeat(100), allowance)).toBeUndefined();
  expect(checkValue(field, 'a'.repeat(10_000), allowance)).toMatchObject({
    rule: { pattern: '^[ab]{100}c?' },
  });
  const findings = Array.from({ length: 50 }, () => checkValue(field, 'a'.repeat(100), allowance));
  expect(findings[0]).toBeUndefined();
  expect(findings.at(-1)).toHaveProperty('rule');
});

test('the message of the field replaces that of the rule', () => {
  const field = makeCollection({ a: { message: 'Not like this' } }).fields.get('a')!;
  expect(fieldIssue(field, 'is too short', 'ERROR_MIN_LENGTH')).toEqual({
    field: 'a',
    message: 'Not like this',
    code: 'ERROR_MIN_LENGTH',
  });
});
