import { expect, it } from 'vitest';
import { escapeControlCharacters } from '../../src/lib/terminal-escape.ts';

it('escapes what terminals obey, and nothing else', () => {
  expect(escapeControlCharacters('a\u001b[2Jb\u0007\rc\u009bd\u202ee\u2028')).toBe(
    String.raw`a\u001b[2Jb\u0007\u000dc\u009bd\u202ee\u2028`,
  );
  const text = 'Übergrößen 日本語 🙂 "\\"\n\tיום';
  expect(escapeControlCharacters(text)).toBe(text);
});

it('leaves JSON its meaning', () => {
  const value = { '\u009b': 'a\u202e\u007f\u001b' };
  expect(JSON.parse(escapeControlCharacters(JSON.stringify(value)))).toEqual(value);
});
