import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import {
  hasTwoDots,
  isTokenShaped,
  parseFlag,
  parseNumberParameter,
  parseQuery,
  rawQuery,
  redactTokens,
} from '../../../src/http/core/request-url.ts';

const refused = (url: string) => {
  try {
    parseQuery(url);
  } catch (error) {
    return error instanceof AppError ? { code: error.code, ...error.items[0] } : error;
  }
  return 'accepted';
};

describe('parseQuery', () => {
  it('decodes the known parameters', () => {
    const query = parseQuery('/a?filter=%7B%22a%22%3A%22%C3%BC+%2B%22%7D&count=5');
    expect([...query]).toEqual([
      ['filter', '{"a":"ü +"}'],
      ['count', '5'],
    ]);
  });

  it('ignores unknown parameters, also when they repeat', () => {
    expect(parseQuery('/a?x=1&x=2&__proto__=3&constructor=4').size).toBe(0);
  });

  it.each(['/a', '/a?', '/a?&&', '/a#?count=1'])('finds nothing in %s', (url) => {
    expect(parseQuery(url).size).toBe(0);
  });

  it('reads a parameter without a value as empty, and keeps equals signs in a value', () => {
    expect([...parseQuery('/a?sort&filter=a=b=c#part')]).toEqual([
      ['sort', ''],
      ['filter', 'a=b=c'],
    ]);
  });

  it('rejects a repeated parameter by name', () => {
    expect(refused('/a?count=1&page=2&count=1')).toMatchObject({
      code: 'Invalid Parameter',
      field: 'count',
      title: 'Invalid Count Parameter Provided',
    });
    expect(refused('/a?count=1&c%6Funt=1')).toMatchObject({ field: 'count' });
  });

  it.each(['/a?filter=%', '/a?filter=%zz', '/a?filter=%ff', '/a?%ff=1', '/a?x=%', '/a?x=1&y=%c3'])(
    'rejects %s',
    (url) => {
      expect(refused(url)).toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});

describe('rawQuery', () => {
  it('returns the text after the first question mark', () => {
    expect(rawQuery('/a?b?c#d')).toBe('b?c');
    expect(rawQuery('/a')).toBeUndefined();
  });
});

describe('parseFlag', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['all', false],
    ['1', false],
    ['TRUE', false],
    ['', false],
  ])('reads %j as %s', (text, expected) => {
    expect(parseFlag(new Map([['compose', text]]), 'compose')).toBe(expected);
  });

  it('is undefined when the parameter was not sent', () => {
    expect(parseFlag(new Map(), 'compose')).toBeUndefined();
  });
});

describe('parseNumberParameter', () => {
  const after = { fallback: 7, what: 'the number of an entry' };

  it.each([
    ['/a', 7],
    ['/a?x=1', 7],
    ['/a?after=0', 0],
    ['/a?x&after=12#after=3', 12],
  ])('parses %s as %i', (url, value) => {
    expect(parseNumberParameter(url, 'after', after)).toBe(value);
  });

  it.each([
    'after=',
    'after=x',
    'after=-1',
    'after=1.0',
    'after=1e3',
    'after=1&after=2',
    `after=${'9'.repeat(16)}`,
  ])('rejects %s', (query) => {
    expect(() => parseNumberParameter(`/a?${query}`, 'after', after)).toThrow(AppError);
  });
});

// Tokens in URLs: found by their form, and kept from logs and posted code.

const TOKEN = `${'h'.repeat(36)}.${'p'.repeat(300)}.${'s'.repeat(43)}`;
const ENCODED = TOKEN.replaceAll('.', '%2E');

describe('isTokenShaped', () => {
  it('recognises tokens, percent-encoded ones too', () => {
    expect(isTokenShaped(TOKEN)).toBe(true);
    expect(isTokenShaped(ENCODED)).toBe(true);
  });

  it.each([
    'photo.min.jpg',
    `${'a'.repeat(240)}.b.c`,
    `${'a'.repeat(400)}.jpg`,
    '0123456789abcdef01234567',
    '',
  ])('does not take the name of a file for a token: %s', (name) => {
    expect(isTokenShaped(name)).toBe(false);
  });

  it('requires the length of a token, hasTwoDots does not', () => {
    expect([hasTwoDots('a.b.c'), hasTwoDots('a%2eb%2Ec'), hasTwoDots('a.b')]).toEqual([true, true, false]);
  });
});

describe('redactTokens', () => {
  it.each([
    [`/api/media/${TOKEN}`, '/api/media/<token>'],
    [`/api/media/${ENCODED}/`, '/api/media/<token>/'],
    [`http://host/1.0/library/images/${TOKEN}?a=b`, 'http://host/1.0/library/images/<token>?a=b'],
    [`/media/images/${TOKEN}#x`, '/media/images/<token>#x'],
    [`/${TOKEN}/${TOKEN}`, '/<token>/<token>'],
    [`/1.0/library/books?filter=${TOKEN}`, `/1.0/library/books?filter=${TOKEN}`],
    ['/1.0/library/books', '/1.0/library/books'],
    [`/${'a'.repeat(400)}`, `/${'a'.repeat(400)}`],
  ])('redacts %s', (url, shown) => {
    expect(redactTokens(url)).toBe(shown);
  });
});
