import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPairs, writePairs } from '../../sandbox/form-text.js';

/** Texts with all that means something in a form, in any order. */
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '&',
      '=',
      '+',
      '%',
      '%4',
      '%41',
      '%c3%a9',
      '%C3',
      '%e2%82',
      '%u0041',
      '%uD800',
      ' ',
      'é',
      '€',
      '\ud83d',
      '\ude00',
      '😀',
      '\ufeff',
      '%ef%bb%bf',
      '~',
      '!',
      "'",
      '(',
      ')',
      '*',
      '\n',
      '\0',
      '?',
      '#',
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

/** As the URL standard says it, byte by byte. Node's own `URLSearchParams` is wrong about letters beside broken escapes. */
function decoded(part: string): string {
  const given = Buffer.from(part.replaceAll('+', ' '));
  const bytes: number[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const isEscape = /^%[0-9a-fA-F]{2}$/.test(given.toString('latin1', at, at + 3));
    bytes.push(isEscape ? Number.parseInt(given.toString('latin1', at + 1, at + 3), 16) : (given[at] ?? 0));
    if (isEscape) at += 2;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

const pairsOf = (form: string) =>
  form
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decoded(name), decoded(value.join('='))];
    });

describe('pairs of a form', () => {
  it('are read as the URL standard says', () => {
    fc.assert(
      fc.property(text, (form) => {
        expect(readPairs(form)).toEqual(pairsOf(form));
      }),
      { numRuns: 5_000 },
    );
  });

  it('are read as by URLSearchParams where no escape is broken', () => {
    for (const form of ['a=1&b=%C3%A9&a=2', '=x&y=&&z', 'a=b=c', '%26=%3D&+a+=%2B', '😀=€']) {
      expect(readPairs(form)).toEqual([...new URLSearchParams(form)]);
    }
  });

  it('are written as by URLSearchParams', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (pairs) => {
        expect(writePairs(pairs)).toBe(new URLSearchParams(pairs).toString());
      }),
      { numRuns: 5_000 },
    );
  });

  it('are 10,000 at most, empty ones included', () => {
    expect(readPairs('a&'.repeat(9_999))).toHaveLength(9_999);
    expect(readPairs('a&'.repeat(10_000))).toBeUndefined();
    expect(readPairs('&'.repeat(4_000_000))).toBeUndefined();
    expect(writePairs(Array.from({ length: 10_001 }, () => ['a', 'b'] as const))).toBeUndefined();
  });

  it.each(['+', '+%4', '%', '%u', '%4+', 'é', '%c3', "'", '='])(
    'may be as long as a form is, whatever they are made of: %s',
    (part) => {
      const [[, value = ''] = []] = readPairs(`a=${part.repeat(4_000_000 / part.length)}`) ?? [];
      expect(value.length).toBeGreaterThan(0);
    },
  );
});
