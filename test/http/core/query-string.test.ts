import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { parseFlag, parseNumberParameter, parseQuery, rawQuery } from '../../../src/http/core/request-url.ts';

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
