import { describe, expect, it } from 'vitest';
import { createContextFactory, formatPage, formatResults } from '../../../src/http/core/request-context.ts';
import { ADMIN_CLIENT, collection } from '../fixtures.ts';

describe('pageText', () => {
  const metadata = { page: 1, offset: 0, totalCount: 2, totalPages: 1 };

  it('puts documents together as they are', () => {
    const text = formatPage({ results: ['{"a":"ü"}', '{"b":1}'], metadata });
    expect(JSON.parse(String(text))).toEqual({ results: [{ a: 'ü' }, { b: 1 }], metadata });
    expect(text).toContain('[{"a":"ü"},{"b":1}]');
  });

  it('stays in pieces when it is long', () => {
    const long = `{"a":"${'x'.repeat(200_000)}"}`;
    const pieces = formatPage({ results: [long, '{}', long], metadata });
    expect(pieces).toHaveLength(7);
    const text = [...pieces].join('');
    expect(JSON.parse(text)).toEqual({ results: [JSON.parse(long), {}, JSON.parse(long)], metadata });
    expect([...formatResults([long, long])].join('')).toBe(`{"results":[${long},${long}]}`);
  });

  it('may be empty', () => {
    expect(JSON.parse(String(formatPage({ results: [], metadata })))).toEqual({ results: [], metadata });
  });
});

describe('createContext', () => {
  const config = { limits: { queryMs: 500 } } as Parameters<typeof createContextFactory>[0]['config'];
  const context = createContextFactory({ config, now: () => 1000 });
  type Request = Parameters<typeof context>[0];

  it('bounds the work and names the caller', () => {
    const { deadline, caller } = context({ client: ADMIN_CLIENT, lookUpMs: 200 } as Request);
    expect([deadline, caller.name]).toEqual([1300, 'boss']);
    expect(caller.may(collection('books'), 'PUT')).toBe(true);
  });

  it('keeps the token of a signed upload from hooks', () => {
    const token = `${'h'.repeat(36)}.${'p'.repeat(300)}.${'s'.repeat(43)}`;
    const { origin } = context({ originalUrl: `/api/media/${token}?a=b` } as Request);
    expect(origin?.http?.url).toBe('/api/media/<token>?a=b');
  });

  it('tells hooks of the request, once they ask', () => {
    const http = { method: 'GET', headers: { accept: 'a/b' }, ip: '10.0.0.1' };
    const request = { ...http, originalUrl: '/1.0/x?y=1', id: 'r', client: ADMIN_CLIENT } as Request;
    expect(context(request).origin).toEqual({
      requestId: 'r',
      client: ADMIN_CLIENT,
      http: { ...http, url: '/1.0/x?y=1' },
    });
  });

  it('knows the anonymous', () => {
    const { caller } = context({ client: null } as Request);
    expect(caller.name).toBeNull();
    expect(caller.may(collection('books'), 'GET')).toBe(false);
  });
});
