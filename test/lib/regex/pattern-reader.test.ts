import { expect, test } from 'vitest';
import { createPatternReader, PatternError, patternError } from '../../../src/lib/regex/pattern-reader.ts';

test('the pattern reader moves over whole characters and expected text', () => {
  const reader = createPatternReader('\u{1f600}ab12');
  expect(reader.peek()).toBe('\u{1f600}');
  reader.skip(2);
  expect(reader.take('b')).toBe(false);
  expect(reader.take('a')).toBe(true);
  expect(reader.match(/^\d/)).toBeUndefined();
  expect(reader.match(/^b(\d)/)?.[1]).toBe('1');
  expect(reader.done()).toBe(false);
  expect(reader.take('2')).toBe(true);
  expect(reader.done()).toBe(true);
  expect(reader.peek()).toBe('');
});

test('a pattern error has its reason', () => {
  expect(patternError('unsupported', 'no')).toBeInstanceOf(PatternError);
  expect(patternError('unsupported', 'no')).toMatchObject({ reason: 'unsupported', message: 'no' });
});
