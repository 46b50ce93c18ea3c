import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { parseQuery } from '../../../src/http/core/request-url.ts';
import { createReadQueryParser } from '../../../src/http/documents/read-query.ts';

const refused = (url: string, parse: (url: string) => unknown = parseQuery) => {
  try {
    parse(url);
  } catch (error) {
    return error instanceof AppError ? { code: error.code, ...error.items[0] } : error;
  }
  return 'accepted';
};
describe('a parser of read queries', () => {
  it('gives the same object for the same query string, whatever the path', () => {
    const parse = createReadQueryParser();
    const query = parse('/a?count=5&sort=b');
    expect(parse('/b?count=5&sort=b#c')).toBe(query);
    expect(parse('/a?sort=b&count=5')).not.toBe(query);
    expect([...query.query]).toEqual([...parseQuery('/a?count=5&sort=b')]);
  });

  it('parses read parameters once, when they are asked for, and each time where they are invalid', () => {
    const parse = createReadQueryParser();
    const { readRequest } = parse('/a?count=5&filter={"a":1}');
    expect(readRequest()).toEqual({ pageSize: 5, filter: { a: 1 } });
    expect(parse('/a?count=5&filter={"a":1}').readRequest()).toBe(readRequest());
    const invalid = parse('/a?count=x');
    for (const _again of [1, 2]) expect(() => invalid.readRequest()).toThrow(AppError);
    expect(parse('/a').readRequest()).toEqual({});
  });

  it('remembers the last thousand, and no long ones', () => {
    const parse = createReadQueryParser();
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
    const parse = createReadQueryParser();
    for (const url of ['/a?count=%', '/a?count=%', '/a?count=1&count=2'])
      expect(() => parse(url)).toThrow(AppError);
  });
});

describe('a query on documents', () => {
  it.each([
    ['filter', '{"a":1,}', 'line 1, column 8: expected a name in double quotes'],
    ['fields', '{"a":secret}', 'line 1, column 6: expected a value'],
    ['sort', '{"a":1', 'line 1, column 7: expected `,` or `}`, but the text ends'],
    ['historyFilters', '{"a"\n1}', 'line 2, column 1: expected `:`'],
  ])('is refused with a %s that is not JSON, naming the place', (name, json, place) => {
    const read = (url: string) => createReadQueryParser()(url).readRequest();
    expect(refused(`/a?${name}=${encodeURIComponent(json)}`, read)).toMatchObject({
      field: name,
      message: `The \`${name}\` parameter must be valid JSON: ${place}`,
    });
  });

  it.each([
    'filter[name]=z',
    'filter%5Bname%5D%5B$eq%5D=z',
    'filters={"a":1}',
    'filters',
    'filters[0]=a',
    'count=1&filter[]',
  ])('is refused with %s, which other servers take for a filter', (query) => {
    const parse = createReadQueryParser();
    for (const _again of [1, 2]) {
      expect(refused(`/a?${query}`, parse)).toMatchObject({
        field: 'filter',
        message: expect.stringContaining('send `filter` with a JSON object'),
      });
    }
    expect(refused(`/a?${query}`)).toBe('accepted');
  });

  it.each(['filterable=1', 'where={}', 'filter={"a":1}', 'x=filters'])('is taken with %s', (query) => {
    expect(refused(`/a?${query}`, createReadQueryParser())).toBe('accepted');
  });
});
