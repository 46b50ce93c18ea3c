import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { parsePreconditions, rejectPreconditions } from '../../../src/http/core/preconditions.ts';
import { documentEtag, listEtag } from '../../../src/http/documents/read-response.ts';

const ifMatch = (header: string) => parsePreconditions({ headers: { 'if-match': header } });
const ifNoneMatch = (header: string) => parsePreconditions({ headers: { 'if-none-match': header } });

describe('the precondition of a write', () => {
  it('is absent without the headers', () => {
    expect(parsePreconditions({ headers: {} })).toBeUndefined();
  });

  it.each([
    '3',
    '"3"',
    'W/"3"',
    documentEtag(3, 'body'),
    `W/${documentEtag(3, 'body')}`,
    '"1", "3"',
    '"a,b" ,3',
    ' * ',
  ])('holds for v 3 with %s', (header) => {
    expect(ifMatch(header)?.(3)).toBe(true);
    expect(ifNoneMatch(header)?.(3)).toBe(false);
  });

  it.each(['2', '"33"', '"03x"', documentEtag(2, 'body'), '"-3"', listEtag('body'), '"1", "2"', '""'])(
    'does not hold for v 3 with %s',
    (header) => {
      expect(ifMatch(header)?.(3)).toBe(false);
      expect(ifNoneMatch(header)?.(3)).toBe(true);
    },
  );

  it.each(['', 'abc', '"3', '3"', '*, "3"', '"1" "2"', '-3', '3.0', 'w/"3"', '"a\tb"', '1234567890123456'])(
    'refuses %j',
    (header) => {
      expect(() => ifMatch(header)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
      expect(() => ifNoneMatch(header)).toThrow(AppError);
    },
  );

  it('ignores the ETag of a list, whatever its digest begins with', () => {
    const tags = Array.from({ length: 2000 }, (_, n) => listEtag(`body ${n}`));
    const states = Array.from({ length: 100 }, (_, v) => v);
    expect(tags.filter((tag) => states.some((v) => ifMatch(tag)?.(v)))).toEqual([]);
  });

  it('holds for v 0, of a document written by others', () => {
    expect(ifMatch('"0"')?.(0)).toBe(true);
  });

  it('joins both headers', () => {
    const both = parsePreconditions({ headers: { 'if-match': '"3", "4"', 'if-none-match': '4' } });
    expect([3, 4, 5].map((v) => both?.(v))).toEqual([true, false, false]);
  });
});

describe('rejectPreconditions', () => {
  it('names the header', () => {
    const refuse = (headers: Record<string, string>) => () => rejectPreconditions({ headers });
    expect(refuse({})).not.toThrow();
    for (const field of ['If-Match', 'If-None-Match']) {
      const thrown = expect.objectContaining({
        code: 'BAD_REQUEST',
        items: [expect.objectContaining({ field })],
      });
      expect(refuse({ [field.toLowerCase()]: '*' })).toThrow(thrown);
    }
    expect(() => rejectPreconditions({ headers: { 'if-none-match': '*' } }, ['if-match'])).not.toThrow();
  });
});
