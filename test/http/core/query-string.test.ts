import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import {
  parseFlag,
  parseNumberParameter,
  parseQuery,
  rawQuery,
} from '../../../src/http/core/query-string.ts';

const refused = (url: string) => {
  try {
    parseQuery(url);
  } catch (error) {
    return error instanceof AppError ? { code: error.code, ...error.items[0] } : error;
  }
  return 'accepted';
};

describe('parseQuery', () => {
  it('decodes the parameters that mean something', () => {
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

  it('takes a parameter without a value as empty, and a value with equals signs whole', () => {
    expect([...parseQuery('/a?sort&filter=a=b=c#part')]).toEqual([
      ['sort', ''],
      ['filter', 'a=b=c'],
    ]);
  });

  it('refuses a known parameter that is given twice, naming it', () => {
    expect(refused('/a?count=1&page=2&count=1')).toMatchObject({
      code: 'Invalid Parameter',
      field: 'count',
      title: 'Invalid Count Parameter Provided',
    });
    expect(refused('/a?count=1&c%6Funt=1')).toMatchObject({ field: 'count' });
  });

  it.each(['/a?filter=%', '/a?filter=%zz', '/a?filter=%ff', '/a?%ff=1', '/a?x=%', '/a?x=1&y=%c3'])(
    'refuses %s',
    (url) => {
      expect(refused(url)).toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});

describe('queryText', () => {
  it('is what follows the first question mark', () => {
    expect(rawQuery('/a?b?c#d')).toBe('b?c');
    expect(rawQuery('/a')).toBeUndefined();
  });
});

describe('flag', () => {
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

describe('numberParameter', () => {
  const after = { fallback: 7, what: 'the number of an entry' };

  it.each([
    ['/a', 7],
    ['/a?x=1', 7],
    ['/a?after=0', 0],
    ['/a?x&after=12#after=3', 12],
  ])('of %s is %i', (url, value) => {
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
  ])('refuses %s', (query) => {
    expect(() => parseNumberParameter(`/a?${query}`, 'after', after)).toThrow(AppError);
  });
});
