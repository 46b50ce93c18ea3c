import { expect, test } from 'vitest';
import {
  createPatternReader,
  PatternError,
  parseEscape,
  patternError,
} from '../../../src/lib/regex/pattern-reader.ts';

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

const read = (pattern: string) => parseEscape(createPatternReader(pattern), false);

test.each([
  ['\\n', 0x0a],
  ['\\v', 0x0b],
  ['\\0', 0],
  ['\\cA', 1],
  ['\\cz', 26],
  ['\\x41', 0x41],
  ['\\u00e9', 0xe9],
  ['\\u{1F600}', 0x1f600],
  ['\\uD83D\\uDE00', 0x1f600],
  ['\\uD83Dx', 0xd83d],
  ['\\.', 0x2e],
  ['\\é', 0xe9],
  ['\\\u{1f600}', 0x1f600],
])('the escape %s is one character', (pattern, codePoint) => {
  expect(read(pattern)).toEqual({ kind: 'codePoint', codePoint });
});

test('a shorthand escape is a list of ranges', () => {
  expect(read('\\d')).toEqual({ kind: 'ranges', ranges: [[0x30, 0x39]] });
});

test.each([
  ['\\p{L}', '\\p{L}'],
  ['\\P{gc=Lu}', '\\P{Lu}'],
  ['\\p{Script=Greek}', '\\p{Greek}'],
])('the escape %s is a Unicode property', (pattern, text) => {
  expect(read(pattern)).toEqual({ kind: 'property', text });
});

test.each(['\\', '\\q', '\\x4', '\\u12', '\\u{}', '\\u{110000}', '\\c1', '\\p', '\\p{}', '\\01'])(
  '%s is not an escape',
  (pattern) => {
    expect(() => read(pattern)).toThrow(expect.objectContaining({ reason: 'syntax' }));
  },
);

test.each(['\\1', '\\9', '\\k<a>'])(
  'the escape %s is rejected because it needs more than linear time',
  (pattern) => {
    expect(() => read(pattern)).toThrow(expect.objectContaining({ reason: 'unsupported' }));
  },
);
