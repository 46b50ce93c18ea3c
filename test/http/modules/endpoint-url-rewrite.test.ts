import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createEndpointUrlRewriter } from '../../../src/http/modules/endpoint-url-rewrite.ts';
import { liveEndpoint } from '../../modules/module-versions.ts';

const REPORT = liveEndpoint('report');

const asked: string[] = [];
const { rewrite, getMatch: matchOf } = createEndpointUrlRewriter({
  match(path) {
    asked.push(path);
    if (path === '/1.0/report/') return { endpoint: REPORT, params: {}, sub: [] };
    if (path === '/1.0/report') return { endpoint: REPORT, params: {}, sub: [] };
    if (path === '/1.0/report/versions/3') return { endpoint: REPORT, params: {}, sub: ['versions', '3'] };
    if (path === '/1.0/odd') return { endpoint: REPORT, params: {}, sub: ['..', 'a/b?c'] };
    return undefined;
  },
});
const raw = (url: string) => ({ url }) as IncomingMessage;

describe('rewrite', () => {
  it.each(['/1.0/report', '/1.0/report/', '/1.0/report?a=/x', '/1.0/report/#?', 'HTTP://a:1/1.0/report'])(
    'leads a call by %s to its internal address',
    (url) => {
      const request = raw(url);
      expect(rewrite(request)).toBe('/.call');
      expect(matchOf(request)).toEqual({ endpoint: REPORT, params: {}, sub: [] });
    },
  );

  it('leads a sub-resource to an address that names it', () => {
    const request = raw('/1.0/report/versions/3?a');
    expect(rewrite(request)).toBe('/.endpoint/versions/3');
    expect(matchOf(request)?.sub).toEqual(['versions', '3']);
  });

  it('lets no part of a path become two', () => {
    expect(rewrite(raw('/1.0/odd'))).toBe('/.endpoint/../a%2Fb%3Fc');
  });

  it.each(['/', '/1.0/library/books?x', '/1.0/%zz', '*', '', 'example.org:443', '/1.0/report//'])(
    'leaves %j alone',
    (url) => {
      const request = raw(url);
      expect(rewrite(request)).toBe(url);
      expect(matchOf(request)).toBeUndefined();
    },
  );

  it('asks for the path alone', () => {
    expect(asked).toContain('/1.0/library/books');
    expect(asked).toContain('/');
    expect(asked.some((path) => /[?#]/.test(path))).toBe(false);
  });
});
