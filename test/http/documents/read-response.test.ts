import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  computeLongEtag,
  createPageEtags,
  documentEtag,
  listEtag,
  parseCallback,
  sendRead,
  wrapJsonp,
} from '../../../src/http/documents/read-response.ts';
import type { CachedResponse } from '../../../src/http/documents/response-cache.ts';
import { LONG_TEXT_COST } from '../../../src/lib/chunked-text.ts';
import { bareServer } from '../bare-fastify-server.ts';
import { collection } from '../fixtures.ts';

describe('the ETag of a read', () => {
  const pieces = ['é'.repeat(100_000), 'x', `😀${'y'.repeat(65_535)}😀`.repeat(3)];
  const whole = pieces.join('');

  it('differs by body, and begins with the v of a document', () => {
    expect(listEtag('a')).toMatch(/^"l1-[\w-]{22}"$/);
    expect(listEtag('a')).not.toBe(listEtag('b'));
    expect(documentEtag(3, 'a')).toMatch(/^"3-[\w-]{22}"$/);
    expect(documentEtag(3, 'a')).not.toBe(documentEtag(3, 'b'));
    expect(documentEtag(3, 'a')).not.toBe(documentEtag(4, 'a'));
  });

  it('tells apart texts that were chosen for having the same CRC', () => {
    const seen = new Map<number, string>();
    const pairs: [string, string][] = [];
    for (let n = 0; n < 300_000; n += 1) {
      const text = hash('sha1', String(n)).slice(0, 10);
      const other = seen.get(crc32(text));
      if (other !== undefined) pairs.push([text, other]);
      seen.set(crc32(text), text);
    }
    expect(pairs.length).toBeGreaterThan(0);
    for (const [one, other] of pairs) {
      const page = (text: string) => `{"results":[{"_id":"1","text":"${text}"}],"metadata":{}}`;
      expect(crc32(page(one))).toBe(crc32(page(other)));
      expect(listEtag(page(one))).not.toBe(listEtag(page(other)));
      expect(documentEtag(1, page(one))).not.toBe(documentEtag(1, page(other)));
    }
  });

  it('tells apart pages of the same length that differ in a number', () => {
    const pages = Array.from(
      { length: 9000 },
      (_, n) => `{"results":[],"metadata":{"totalCount":${1000 + n}}}`,
    );
    expect(new Set(pages.map((page) => page.length)).size).toBe(1);
    expect(new Set(pages.map(listEtag)).size).toBe(pages.length);
  });

  it('of a page is that of its own text, whatever was sent under the URL before', () => {
    const pageEtags = createPageEtags();
    const page = (n: number) => `{"results":["${'é'.repeat(4096)}",${n}]}`;
    for (const n of [1, 1, 1, 2, 1, 2, 2, 3]) {
      for (const url of ['/books', '/books?page=2']) {
        expect(pageEtags(url, page(n))).toBe(listEtag(page(n)));
        expect(pageEtags(url, `[${n}]`)).toBe(listEtag(`[${n}]`));
      }
    }
  });

  it('of a page is right with more and longer pages than are remembered', () => {
    const pageEtags = createPageEtags();
    const pages = Array.from({ length: 1100 }, (_, n) => `${'x'.repeat(5000)}${n}`);
    for (const turn of [0, 1, 2]) {
      for (const [n, page] of pages.entries()) {
        expect(pageEtags(`/books?page=${n}`, page), `turn ${turn}`).toBe(listEtag(page));
      }
    }
  });

  it('of a long text in pieces is that of the same text in one', async () => {
    const bytes = Buffer.byteLength(whole);
    expect(await computeLongEtag(pieces)).toEqual({ etag: listEtag(whole), bytes });
    expect(await computeLongEtag(whole)).toEqual({ etag: listEtag(whole), bytes });
    expect(await computeLongEtag(pieces, 7)).toEqual({ etag: documentEtag(7, whole), bytes });
  });
});

describe('the callback of a JSONP response', () => {
  const name = (callback: string | undefined, byDefault: string | null = null) =>
    parseCallback(
      new Map(callback === undefined ? [] : [['callback', callback]]),
      collection('books', { settings: { callback: byDefault } }),
    );

  it('is the one of the request, else of the collection, else none', () => {
    expect(name('show')).toBe('show');
    expect(name('show', 'other')).toBe('show');
    expect(name(undefined, 'other')).toBe('other');
    expect(name(undefined)).toBeUndefined();
  });

  it.each(['', 'a.b', 'a1', 'alert(1)//', 'ä', '_a', 'a b', 'a'.repeat(101)])('may not be %j', (callback) => {
    expect(() => name(callback)).toThrow('Invalid parameter');
  });
});

describe('a JSONP body', () => {
  it('is a call of the function with the JSON', async () => {
    expect(await wrapJsonp('show', '{"a":1}')).toBe('show({"a":1});');
  });

  it('escapes what older engines take for the end of a line', async () => {
    expect(await wrapJsonp('f', '"\u2028\u2029"')).toBe('f("\\u2028\\u2029");');
  });

  it('stays in pieces when it is long', async () => {
    expect(await wrapJsonp('f', ['["', '\u2028', '"]'])).toEqual(['f(', '["', '\\u2028', '"]', ');']);
  });
});

describe('sendRead', () => {
  let response: CachedResponse = { body: '{"results":[]}' };
  const reserved: number[] = [];
  const connections = {
    reserveDuring: <T>(_socket: unknown, bytes: number, work: () => Promise<T>) => {
      reserved.push(bytes);
      return work();
    },
  };
  const pageEtags = createPageEtags();
  const { server } = bareServer((bare) => {
    bare.get('/json', (request, reply) =>
      sendRead(request, reply, { response, callback: undefined, pageEtags, connections }),
    );
    bare.get('/jsonp', (request, reply) =>
      sendRead(request, reply, { response, callback: 'show', pageEtags, connections }),
    );
  });

  it('sends JSON with an ETag', async () => {
    const { headers, body } = await server.inject({ url: '/json' });
    expect(body).toBe('{"results":[]}');
    expect(headers).toMatchObject({ 'content-type': 'application/json', etag: listEtag(body) });
  });

  it('sends JSONP under an ETag of its own', async () => {
    const { headers, body } = await server.inject({ url: '/jsonp' });
    expect(body).toBe('show({"results":[]});');
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      etag: listEtag(body),
    });
  });

  it('sends 304 to a client that has the response', async () => {
    response = { body: '{}', v: 4 };
    const etag = String((await server.inject({ url: '/json' })).headers['etag']);
    expect(etag).toMatch(/^"4-/);
    const again = await server.inject({ url: '/json', headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    response = { body: '{}', v: 5 };
    const changed = await server.inject({ url: '/json', headers: { 'if-none-match': etag } });
    expect(changed.statusCode).toBe(200);
  });

  it('counts a long response as unsent while it computes the ETag', async () => {
    const body = `"${'é'.repeat(2_000_000)}"`;
    response = { body };
    const { headers } = await server.inject({ url: '/json' });
    expect(reserved).toEqual([body.length * LONG_TEXT_COST]);
    expect(headers).toMatchObject({
      etag: listEtag(body),
      'content-length': String(Buffer.byteLength(body)),
    });
  });
});
