// Which collection another address means, what is an upload to a signed URL, and what is for an endpoint.

import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { SIGNED_UPLOAD_PATH } from '../../../src/http/core/internal-paths.ts';
import { createUrlRewriter } from '../../../src/http/core/url-rewrite.ts';
import { liveEndpoint } from '../../modules/module-versions.ts';

function collection(path: string, media = true): Collection {
  const [, version, database, name] = path.split('/');
  return { version, database, name, path, settings: { media } } as unknown as Collection;
}

function addresses(...paths: string[]) {
  const collections = [collection('/1.0/library/books', false), ...paths.map((path) => collection(path))];
  const registry = {
    list: () => collections,
    get: (...parts: string[]) => collections.find(({ path }) => path === `/${parts.join('/')}`),
  };
  return createUrlRewriter({
    collections: registry,
    endpoints: { match: () => undefined },
    defaultBucket: 'mediaStore',
  });
}

const ID = '0123456789abcdef01234567';
const TOKEN = `${'h'.repeat(36)}.${'p'.repeat(300)}.${'s'.repeat(43)}`;
const IMAGES = '/1.0/library/images';
const one = addresses(IMAGES);
const two = addresses(IMAGES, '/1.0/library/films');

/** Undefined for a URL that stays as it is. */
function look({ rewrite, uploadOf }: ReturnType<typeof addresses>, method: string, url: string) {
  const raw = { method, url } as IncomingMessage;
  const rewritten = rewrite(raw);
  const upload = uploadOf(raw);
  if (rewritten === url && upload === undefined) return undefined;
  if (rewritten !== SIGNED_UPLOAD_PATH) return rewritten;
  return { token: upload?.token, collection: upload?.collection?.path };
}

describe('an address without a name, of several media collections', () => {
  const several = addresses(IMAGES, '/1.0/library/mediaStore');

  it.each([
    ['GET', '/media', '/1.0/library/mediaStore'],
    ['GET', '/media/count', '/1.0/library/mediaStore/count'],
    ['POST', '/api/media', '/1.0/library/mediaStore'],
    ['GET', '/media/images', IMAGES],
  ])('is that of the default bucket: %s %s', (method, url, target) => {
    expect(look(several, method, url)).toBe(target);
  });

  it('is nobody’s where two have the name of the default bucket', () => {
    const twice = addresses('/1.0/a/mediaStore', '/1.0/b/mediaStore');
    expect(look(twice, 'GET', '/media')).toBeUndefined();
  });
});

describe('an address of the only media collection', () => {
  it.each([
    ['GET', '/media', IMAGES],
    ['GET', '/media/', IMAGES],
    ['GET', '/media?count=1', IMAGES],
    ['GET', 'http://host:1/media', IMAGES],
    ['POST', '/media', IMAGES],
    ['POST', '/api/media', IMAGES],
    ['POST', '/api/media/', IMAGES],
    ['GET', '/media/count', `${IMAGES}/count`],
    ['POST', '/media/config', `${IMAGES}/config`],
    ['GET', `/media/${ID}`, `${IMAGES}/${ID}`],
    ['POST', `/media/${ID}`, `${IMAGES}/${ID}`],
    ['DELETE', `/media/${ID}`, `${IMAGES}/${ID}`],
    ['GET', `/media/${ID}/file`, `${IMAGES}/${ID}/file`],
    ['GET', '/media/2026/11/22/a%20b.min.js', `${IMAGES}/2026/11/22/a%20b.min.js`],
    ['GET', '/media/a%2Fb', `${IMAGES}/a%2Fb`],
    ['GET', '/media/images', IMAGES],
    ['GET', '/media/im%61ges/', IMAGES],
    ['POST', '/media/images', IMAGES],
    ['GET', '/media/images/a.jpg', `${IMAGES}/a.jpg`],
    ['POST', '/media/images/sign', `${IMAGES}/sign`],
    ['GET', '/media/images/../books', `${IMAGES}/../books`],
  ])('%s %s means %s', (method, url, path) => {
    expect(look(one, method, url)).toBe(path);
  });
});

describe('an address of one of several', () => {
  it('must name its bucket', () => {
    expect(look(two, 'GET', '/media/films/a.jpg')).toBe('/1.0/library/films/a.jpg');
    expect(look(two, 'GET', '/media')).toBeUndefined();
    expect(look(two, 'GET', '/media/a.jpg')).toBeUndefined();
    expect(look(two, 'POST', '/media/nothing')).toBeUndefined();
    expect(look(two, 'POST', '/api/media')).toBeUndefined();
  });

  it('is no bucket of two versions, nor of what is no media collection', () => {
    const versions = addresses(IMAGES, '/2.0/library/images');
    expect(look(versions, 'GET', '/media/images')).toBeUndefined();
    expect(look(two, 'GET', '/media/books')).toBeUndefined();
  });
});

describe('an upload to a signed URL', () => {
  it.each([
    ['POST', `/api/media/${TOKEN}`, undefined, TOKEN],
    ['POST', '/api/media/nonsense', undefined, 'nonsense'],
    ['GET', '/api/media/nonsense', undefined, 'nonsense'],
    ['POST', `/media/${TOKEN}`, undefined, TOKEN],
    ['GET', `/media/${TOKEN}`, undefined, TOKEN],
    ['POST', '/media/a.b.c', undefined, 'a.b.c'],
    ['POST', `/media/images/${TOKEN}`, IMAGES, TOKEN],
    ['POST', '/media/images/nonsense', IMAGES, 'nonsense'],
    ['POST', `${IMAGES}/${TOKEN}`, IMAGES, TOKEN],
    ['POST', `${IMAGES}/${TOKEN}/?x=y`, IMAGES, TOKEN],
    ['POST', `${IMAGES}/${TOKEN.replaceAll('.', '%2e')}`, IMAGES, TOKEN],
    ['POST', `${IMAGES}/nonsense`, IMAGES, 'nonsense'],
    ['GET', `${IMAGES}/${TOKEN}`, IMAGES, TOKEN],
  ])('%s %s is one', (method, url, path, token) => {
    expect(look(two, method, url)).toEqual({ token, collection: path });
  });

  it.each([
    ['POST', `${IMAGES}/${ID}`],
    ['POST', `${IMAGES}/sign`],
    ['POST', `${IMAGES}/config`],
    ['POST', `${IMAGES}/count`],
    ['GET', `${IMAGES}/a.b.c`],
    ['POST', IMAGES],
    ['POST', `/1.0/library/books/${TOKEN}`],
    ['POST', `/1.0/library/nothing/${TOKEN}`],
    ['POST', `${IMAGES}/${TOKEN}/x`],
    ['POST', '/api/media/sign'],
    ['GET', '/api/media'],
    ['POST', `/api/media/x/${TOKEN}`],
    ['POST', '/media/sign'],
    ['POST', '/media/nothing/sign'],
    ['POST', '/media/%zz'],
    ['GET', '/mediation'],
    ['GET', '/'],
    ['OPTIONS', '*'],
    ['POST', ''],
    ['POST', SIGNED_UPLOAD_PATH],
  ])('%s %s is none, and means what it says', (method, url) => {
    expect(look(two, method, url)).toBeUndefined();
    const raw = { method, url } as IncomingMessage;
    two.rewrite(raw);
    expect(two.uploadOf(raw)).toBeUndefined();
  });
});

const REPORT = liveEndpoint('report');

const asked: string[] = [];
const nothing = { list: () => [], get: () => undefined };
const { rewrite, endpointOf } = createUrlRewriter({
  defaultBucket: 'mediaStore',
  collections: nothing,
  endpoints: {
    match(path) {
      asked.push(path);
      if (path === '/1.0/report/') return { endpoint: REPORT, params: {}, sub: [] };
      if (path === '/1.0/report') return { endpoint: REPORT, params: {}, sub: [] };
      if (path === '/1.0/report/versions/3') return { endpoint: REPORT, params: {}, sub: ['versions', '3'] };
      if (path === '/1.0/odd') return { endpoint: REPORT, params: {}, sub: ['..', 'a/b?c'] };
      return undefined;
    },
  },
});
const raw = (url: string) => ({ url }) as IncomingMessage;

describe('rewrite', () => {
  it.each(['/1.0/report', '/1.0/report/', '/1.0/report?a=/x', '/1.0/report/#?', 'HTTP://a:1/1.0/report'])(
    'leads a call by %s to its internal address',
    (url) => {
      const request = raw(url);
      expect(rewrite(request)).toBe('/.call');
      expect(endpointOf(request)).toEqual({ endpoint: REPORT, params: {}, sub: [] });
    },
  );

  it('leads a sub-resource to an address that names it', () => {
    const request = raw('/1.0/report/versions/3?a');
    expect(rewrite(request)).toBe('/.endpoint/versions/3');
    expect(endpointOf(request)?.sub).toEqual(['versions', '3']);
  });

  it('lets no part of a path become two', () => {
    expect(rewrite(raw('/1.0/odd'))).toBe('/.endpoint/../a%2Fb%3Fc');
  });

  it.each(['/', '/1.0/library/books?x', '/1.0/%zz', '*', '', 'example.org:443', '/1.0/report//'])(
    'leaves %j alone',
    (url) => {
      const request = raw(url);
      expect(rewrite(request)).toBe(url);
      expect(endpointOf(request)).toBeUndefined();
    },
  );

  it('looks up the path without query and fragment', () => {
    expect(asked).toContain('/1.0/library/books');
    expect(asked).toContain('/');
    expect(asked.some((path) => /[?#]/.test(path))).toBe(false);
  });
});
