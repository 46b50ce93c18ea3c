import { describe, expect, it } from 'vitest';
import { escapeControlCharacters, escapeUnprintable, toOneLine } from '../../src/lib/printable-text.ts';

it('terminal control characters are escaped, and nothing else', () => {
  expect(escapeControlCharacters('a\u001b[2Jb\u0007\rc\u009bd\u202ee\u2028')).toBe(
    String.raw`a\u001b[2Jb\u0007\u000dc\u009bd\u202ee\u2028`,
  );
  const text = 'Übergrößen 日本語 🙂 "\\"\n\tיום';
  expect(escapeControlCharacters(text)).toBe(text);
});

it('escaping for terminals does not change what JSON means', () => {
  const value = { '\u009b': 'a\u202e\u007f\u001b' };
  expect(JSON.parse(escapeControlCharacters(JSON.stringify(value)))).toEqual(value);
});

describe('escapeUnprintable', () => {
  it('keeps ordinary text in any script', () => {
    for (const text of ['plain', 'a\tb\nc', 'Größe 日本語 👩‍👩‍👧', ''])
      expect(escapeUnprintable(text)).toBe(text);
  });

  it('escapes invisible characters', () => {
    expect(escapeUnprintable('\x1b[31m')).toBe('\\u{1b}[31m');
    expect(escapeUnprintable('\r\x7f\x85')).toBe('\\u{d}\\u{7f}\\u{85}');
    expect(escapeUnprintable('a\u202eb\u2066c\u200fd\u2028e\ufefff')).toBe(
      'a\\u{202e}b\\u{2066}c\\u{200f}d\\u{2028}e\\u{feff}f',
    );
    expect(escapeUnprintable('\u{e0041}')).toBe('\\u{e0041}');
    expect(escapeUnprintable('\ud800')).toBe('\ufffd');
  });
});

describe('toOneLine', () => {
  it('shortens text to one line', () => {
    expect(toOneLine(' a\n b\tc ')).toBe('a b c');
    expect(toOneLine('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
    expect(toOneLine('x'.repeat(300))).toHaveLength(300);
  });
});
