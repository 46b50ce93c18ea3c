import { describe, expect, it } from 'vitest';
import { createRequestEncoder, type EndpointRequest } from '../../src/endpoints/messages.ts';
import { threadCpuMs } from '../../src/workers/match-patterns.ts';
import { createModuleVersion } from '../modules/module-versions.ts';

const REQUEST: EndpointRequest = {
  method: 'GET',
  url: '/1.0/report',
  headers: {},
  body: { type: 'none', text: '' },
  client: null,
  ip: '127.0.0.1',
  requestId: 'r',
};
const encodeRequest = createRequestEncoder();
const seen = (request: Partial<EndpointRequest>, requestHeaders?: readonly string[], params = {}) =>
  JSON.parse(
    encodeRequest(
      createModuleVersion('a', requestHeaders === undefined ? {} : { requestHeaders }),
      { ...REQUEST, ...request },
      params,
    ),
  );

describe('the request that posted code sees', () => {
  it('is plain data', () => {
    expect(seen({}, [], { id: '7' })).toEqual({
      method: 'GET',
      url: '/1.0/report',
      path: '/1.0/report',
      params: { id: '7' },
      query: {},
      headers: {},
      bodyType: 'none',
      client: null,
      ip: '127.0.0.1',
    });
  });

  it('contains the caller without its permissions', () => {
    const client = { id: '1', clientId: 'boss', accessType: 'admin', permissions: {}, roles: [] } as const;
    expect(seen({ client }).client).toEqual({ id: '1', clientId: 'boss', accessType: 'admin' });
  });

  it.each([
    ['/a', '/a', {}],
    ['/a?', '/a', {}],
    ['/a?b', '/a', { b: '' }],
    ['/a?b=1&c=%26&b=2&b=3', '/a', { b: ['1', '2', '3'], c: '&' }],
    ['/a??b=1', '/a', { '?b': '1' }],
    ['/a??b=%31', '/a', { '?b': '1' }],
    ['/a?b=1#?c=2', '/a', { b: '1' }],
    ['/a#?c=2', '/a', {}],
    ['/a/%2f?q=%zz+%ff', '/a/%2f', { q: '%zz \ufffd' }],
  ])('has the query of %s decoded', (url, path, query) => {
    expect(seen({ url })).toMatchObject({ url, path, query });
  });

  it('keeps parameter names such as `__proto__` as plain names', () => {
    const { query } = seen({ url: '/a?__proto__=1&constructor=2&__proto__=3&toString' });
    expect(Object.entries(query)).toEqual([
      ['__proto__', ['1', '3']],
      ['constructor', '2'],
      ['toString', ''],
    ]);
  });

  it('contains granted headers only', () => {
    const headers = { accept: 'a', 'x-one': '1', 'x-two': '2', cookie: 'c', authorization: 'b', host: 'h' };
    expect(seen({ headers }).headers).toEqual({ accept: 'a' });
    expect(seen({ headers }, []).headers).toEqual({});
    expect(seen({ headers }, ['x-*', 'host']).headers).toEqual({ 'x-one': '1', 'x-two': '2', host: 'h' });
    expect(seen({ headers }, ['cookie', 'x-one', 'absent']).headers).toEqual({ cookie: 'c', 'x-one': '1' });
  });

  it('joins the values of repeated headers', () => {
    expect(seen({ headers: { 'set-cookie': ['a', 'b'] } }, ['set-cookie']).headers).toEqual({
      'set-cookie': 'a, b',
    });
  });

  it('never contains inherited members as headers', () => {
    expect(seen({ headers: {} }, ['constructor', '__proto__', 'tostring', '*']).headers).toEqual({});
  });

  it('parses a long query fast', () => {
    const many = Array.from({ length: 8000 }, (_, n) => `${n % 2}`).join('&');
    const started = threadCpuMs();
    expect(seen({ url: `/a?${many}` }).query[0]).toHaveLength(4000);
    expect(threadCpuMs() - started).toBeLessThan(200);
  });
});
