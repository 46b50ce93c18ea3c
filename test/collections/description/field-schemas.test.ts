// Patterns in schemas: those, and only those, that ECMA-262 under `u` matches as the server does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portablePattern, textKeywords } from '../../../src/collections/description/field-schemas.ts';
import { compileLinearRegex, LinearRegexError } from '../../../src/lib/regex/linear-regex.ts';
import { matchPatterns } from '../../../src/workers/match-patterns.ts';
import { progressCells, resultsOf } from '../../../src/workers/pattern-progress.ts';

/** What the worker says of a text, with the engine that it chooses. */
function matchesOnWorker(pattern: string, text: string): boolean {
  const progress = progressCells(1);
  matchPatterns({ jobs: [{ pattern, flags: '', texts: [text] }], totalMs: 1000, progress });
  return resultsOf(progress)[0] === true;
}

/** What the linear engine says; undefined for a pattern beyond it. */
function matchesOnThread(pattern: string, text: string): boolean | undefined {
  try {
    return compileLinearRegex(pattern, '').test(text);
  } catch (error) {
    if (error instanceof LinearRegexError) return undefined;
    throw error;
  }
}

/** What ECMA-262 says under `u`, which tries each code point: V8 by itself also tries the middle of surrogate pairs. */
function matchesAtCodePoint(pattern: string, text: string): boolean {
  const ours = new RegExp(pattern, 'uy');
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1) {
    ours.lastIndex = at;
    if (ours.test(text)) return true;
  }
  return false;
}

const isPattern = (pattern: string) => {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
};

const PIECES = [
  ...[
    'a',
    'b',
    'A',
    'Z',
    '0',
    '_',
    '-',
    ' ',
    '.',
    '^',
    '$',
    '|',
    '(',
    ')',
    '(?:',
    '(?<n>',
    '[',
    '[^',
    ']',
    '{',
    '}',
  ],
  ...[
    '*',
    '+',
    '?',
    '{2}',
    '{1,2}',
    '{,2}',
    '{0,}',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\b',
    '\\B',
    '\\n',
  ],
  ...[
    '\\-',
    '\\.',
    '\\/',
    '\\_',
    '\\]',
    '\\x61',
    '\\u0061',
    '\\u{61}',
    '\\u{1f642}',
    '\\ud83d\\ude42',
    '\\cA',
    '\\0',
  ],
  ...[
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Script=Greek}',
    '\\p{sc=Han}',
    '\\p{Letter}',
    '(?=',
    '(?!',
    '(?<=',
    '(?i:',
    '(?-s:',
  ],
  ...['\\1', '\\k<n>', 'é', '🙂', 'ß', 'α', '\u2028', '\u212a', '&&', '[:alpha:]', '/', ','],
];
const CHARACTERS = [
  'a',
  'b',
  'A',
  'Z',
  '0',
  '_',
  '-',
  ' ',
  '.',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  'é',
  'e\u0301',
];
const MORE_CHARACTERS = [
  '🙂',
  'ß',
  'α',
  '漢',
  '\0',
  '\u0001',
  '{',
  ']',
  '/',
  '\\',
  'K',
  '\u212a',
  ',',
  ':',
  'u',
  'p',
];

describe('a pattern in a schema', () => {
  it('matches what the server matches, on either of its engines', () => {
    const patterns = fc
      .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
      .map((pieces) => pieces.join(''))
      .filter(isPattern);
    const texts = fc.array(
      fc
        .array(fc.constantFrom(...CHARACTERS, ...MORE_CHARACTERS), { maxLength: 4 })
        .map((all) => all.join('')),
      { minLength: 1, maxLength: 8 },
    );
    let compared = 0;
    fc.assert(
      fc.property(patterns, texts, (pattern, samples) => {
        const portable = portablePattern({ pattern, flags: '' });
        if (portable === undefined) return;
        for (const text of samples) {
          compared += 1;
          const expected = matchesAtCodePoint(portable, text);
          expect([pattern, text, matchesOnThread(pattern, text) ?? expected]).toEqual([
            pattern,
            text,
            expected,
          ]);
          expect([pattern, text, matchesOnWorker(pattern, text)]).toEqual([pattern, text, expected]);
        }
      }),
      {
        numRuns: 1000,
        examples: [
          ['\\B', ['a🙂a']],
          ['(?!a)(?<!a)', ['a🙂a', '🙂']],
        ],
      },
    );
    expect(compared).toBeGreaterThan(300);
  });

  it.each([
    '^[a-z]+$',
    '^\\d{3}-\\d{4}$',
    '\\p{L}',
    '(?<year>\\d{4})',
    '^(?=.*\\d).{8,}$',
    '(?:a|b)c',
    '\\u{1f642}',
  ])('is the one of the field where it is %s', (pattern) => {
    expect(portablePattern({ pattern, flags: '' })).toBe(pattern);
  });

  it.each([
    ['^abc$', 'i'],
    ['^a$', 'm'],
    ['a.b', 's'],
    ['[\\w-.]', ''],
    ['a\\-b', ''],
    ['a{,2}', ''],
    ['(?i:a)', ''],
    ['(?-i:a)', ''],
    ['(?s-i:a)', ''],
  ])('is left out where it is %s with the flags %j', (pattern, flags) => {
    expect(portablePattern({ pattern, flags })).toBeUndefined();
  });
});

describe('the keywords of a text', () => {
  it('are the lengths and the pattern of its field', () => {
    const regex = { pattern: '^a', flags: '', linear: undefined };
    expect(textKeywords({ minLength: 2, maxLength: 5, regex })).toEqual({
      minLength: 2,
      maxLength: 5,
      pattern: '^a',
    });
  });

  it('are none for a field without rules, or with rules that every text obeys or that a schema cannot have', () => {
    expect(textKeywords({})).toEqual({});
    expect(textKeywords({ minLength: 0, regex: { pattern: 'a', flags: 'i', linear: undefined } })).toEqual(
      {},
    );
    expect(textKeywords({ maxLength: 0 })).toEqual({ maxLength: 0 });
  });
});
