import { describe, expect, it } from 'vitest';
import { createResponseFilter } from '../../src/endpoints/messages.ts';
import { createModuleVersion } from '../modules/module-versions.ts';

const filterResponse = createResponseFilter();
type Headers = readonly (readonly [string, string])[];

function answer(headers: Headers, more: object = {}, granted?: readonly string[]) {
  const { method = 'GET', ...given } = { status: 200, body: 'text', ...more } as {
    status: number;
    body: string | Buffer;
    method?: string;
  };
  const unit = createModuleVersion('a', granted === undefined ? {} : { responseHeaders: granted });
  const { response, dropped } = filterResponse(unit, method, { kind: 'response', headers, ...given });
  return { ...response, headers: Object.fromEntries(response.headers), dropped, list: response.headers };
}

const DEFAULT_CSP = { 'content-security-policy': 'sandbox' };

describe('the headers of a response of posted code', () => {
  it('are sent in lower case when they are granted', () => {
    const { headers, dropped } = answer([
      ['ETag', '"a"'],
      ['X-Whatever', '1'],
      ['Cache-Control', 'no-store'],
    ]);
    expect(headers).toEqual({ etag: '"a"', 'x-whatever': '1', 'cache-control': 'no-store', ...DEFAULT_CSP });
    expect(dropped).toEqual([]);
  });

  it.each([
    ...['set-cookie', 'server', 'date', 'access-control-allow-origin', 'strict-transport-security'],
    ...['x-accel-redirect', 'x-sendfile', 'x-request-id', 'content-security-policy', 'transfer-encoding'],
    ...['content-length', 'connection', 'content-encoding', 'link', 'refresh', 'clear-site-data'],
  ])('are dropped and reported: %s', (name) => {
    const { headers, dropped } = answer([[name.toUpperCase(), 'x']]);
    expect(headers).toEqual(DEFAULT_CSP);
    expect(dropped).toEqual([name]);
  });

  it('follow the list of the policy instead of the default list', () => {
    const { headers, dropped } = answer(
      [
        ['etag', '"a"'],
        ['set-cookie', 'a=1'],
        ['content-length', '9'],
      ],
      {},
      ['set-cookie', 'content-length'],
    );
    expect(headers).toEqual({ 'set-cookie': 'a=1', ...DEFAULT_CSP });
    expect(dropped).toEqual(['etag', 'content-length']);
  });

  it('set by `type()` and `redirect()` need no grant', () => {
    const given: Headers = [
      ['content-type', 'text/html'],
      ['location', '/elsewhere'],
    ];
    expect(answer(given, { status: 302 }, []).headers).toMatchObject({
      'content-type': 'text/html',
      location: '/elsewhere',
    });
    expect(answer(given, { status: 200 }, [])).toMatchObject({
      headers: { 'content-type': 'text/html' },
      dropped: ['location'],
    });
  });

  it('contain the default Content-Security-Policy unless a granted one replaces it', () => {
    const { list } = answer([['Content-Security-Policy', "default-src 'self'"]], {}, [
      'content-security-policy',
    ]);
    expect(list).toEqual([['content-security-policy', "default-src 'self'"]]);
  });

  it('may repeat as cookies', () => {
    const { list } = answer(
      [
        ['set-cookie', 'a'],
        ['set-cookie', 'b'],
      ],
      {},
      ['set-cookie'],
    );
    expect(list.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a'],
      ['set-cookie', 'b'],
    ]);
  });

  it('are joined to a list, or reduced to the last value of a singular header', () => {
    const { list } = answer(
      [
        ['Vary', 'accept'],
        ['vary', 'accept-language'],
        ['Content-Type', 'text/plain'],
        ['content-type', 'text/html'],
      ],
      {},
      ['vary'],
    );
    expect(list.slice(0, 2)).toEqual([
      ['vary', 'accept, accept-language'],
      ['content-type', 'text/html'],
    ]);
  });

  it('are those of this module version and status, also where the last answer had the same list', () => {
    const list = [
      ['X-Secret', '1'],
      ['Location', '/'],
    ] as const;
    const [open, closed] = [['x-*'], []].map((responseHeaders) =>
      createModuleVersion('a', { responseHeaders }),
    );
    const names = (unit: ReturnType<typeof createModuleVersion>, status: number) =>
      filterResponse(unit, 'GET', { kind: 'response', status, headers: list, body: '' }).response.headers.map(
        ([name]) => name,
      );
    const fence = 'content-security-policy';
    expect(names(open as never, 200)).toEqual(['x-secret', fence]);
    expect(names(open as never, 302)).toEqual(['x-secret', 'location', fence]);
    expect(names(closed as never, 302)).toEqual(['location', fence]);
    expect(names(open as never, 302)).toEqual(['x-secret', 'location', fence]);
  });

  it('are not changed by an answer to HEAD', () => {
    const unit = createModuleVersion('a');
    const result = { kind: 'response', status: 200, headers: [], body: 'text' } as const;
    const lengths = ['HEAD', 'GET', 'HEAD'].map(
      (method) => filterResponse(unit, method, result).response.headers.length,
    );
    expect(lengths).toEqual([2, 1, 2]);
  });
});

describe('the body of a response of posted code', () => {
  it.each(['text', Buffer.from([0, 255])])('is handed on', (body) => {
    expect(answer([], { body, status: 500 })).toMatchObject({ status: 500, body });
  });

  it.each([204, 304])('is dropped from a %i', (status) => {
    expect(answer([], { status })).toMatchObject({ body: '', headers: DEFAULT_CSP });
    expect(answer([], { status, method: 'HEAD' }).headers['content-length']).toBeUndefined();
  });

  it('is replaced by its length for HEAD', () => {
    expect(answer([], { method: 'HEAD', body: 'ü' })).toMatchObject({
      body: '',
      headers: { 'content-length': '2' },
    });
    expect(answer([], { method: 'HEAD', body: Buffer.alloc(7) }).headers['content-length']).toBe('7');
  });
});
