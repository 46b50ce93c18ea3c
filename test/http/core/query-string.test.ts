import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import {
  createQueryParser,
  parseFlag,
  parseNumberParameter,
  parseQuery,
  rawQuery,
} from '../../../src/http/core/request-url.ts';

const refused = (url: string, parse: (url: string) => unknown = parseQuery) => {
  try {
    parse(url);
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

describe('a query parser', () => {
  it('gives the same object for the same query string, whatever the path', () => {
    const parse = createQueryParser();
    const query = parse('/a?count=5&sort=b');
    expect(parse('/b?count=5&sort=b#c')).toBe(query);
    expect(parse('/a?sort=b&count=5')).not.toBe(query);
    expect([...query]).toEqual([...parseQuery('/a?count=5&sort=b')]);
  });

  it('remembers the last thousand, and no long ones', () => {
    const parse = createQueryParser();
    const first = parse('/a?count=1');
    const url = (n: number) => `/a?count=1&skip=${n}`;
    for (let n = 0; n < 999; n += 1) parse(url(n));
    expect(parse('/a?count=1')).toBe(first);
    for (let n = 0; n < 1000; n += 1) parse(url(n));
    expect(parse('/a?count=1')).not.toBe(first);
    const long = `/a?sort=${'x'.repeat(2000)}`;
    expect(parse(long)).not.toBe(parse(long));
  });

  it('rejects what does not decode each time', () => {
    const parse = createQueryParser();
    for (const url of ['/a?count=%', '/a?count=%', '/a?count=1&count=2'])
      expect(() => parse(url)).toThrow(AppError);
  });
});

describe('a query on documents', () => {
  it.each([
    'filter[name]=z',
    'filter%5Bname%5D%5B$eq%5D=z',
    'filters={"a":1}',
    'filters',
    'filters[0]=a',
    'count=1&filter[]',
  ])('is refused with %s, which other servers take for a filter', (query) => {
    const parse = createQueryParser();
    for (const _again of [1, 2]) {
      expect(refused(`/a?${query}`, parse)).toMatchObject({
        field: 'filter',
        message: expect.stringContaining('send `filter` with a JSON object'),
      });
    }
    expect(refused(`/a?${query}`)).toBe('accepted');
  });

  it.each(['filterable=1', 'where={}', 'filter={"a":1}', 'x=filters'])('is taken with %s', (query) => {
    expect(refused(`/a?${query}`, createQueryParser())).toBe('accepted');
  });
});
