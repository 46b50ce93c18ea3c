// Generators of requests: query strings, paths, methods and headers as they come off a socket.
import fc from 'fast-check';
import { filter } from './hostile-content.ts';
import { bodyText, json, mostly, text } from './hostile-values.ts';

const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

const PARAMETER = fc.constantFrom(
  ...[
    'filter',
    'fields',
    'sort',
    'sortOrder',
    'count',
    'page',
    'skip',
    'compose',
    'includeHistory',
    'historyFilters',
  ],
  ...['cache', 'callback', 'x', '__proto__', 'filter[a]', ''],
);
const parameterValue = fc.oneof(
  text,
  filter.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '1',
    '-1',
    '0',
    '1e3',
    '99999999999999999999',
    'all',
    'asc',
    '{"title":1,"pages":0}',
    '[{"$match":{}}]',
  ),
);

const rightParameter = fc.oneof(
  fc.tuple(fc.constantFrom('count', 'page'), fc.integer({ min: 0, max: 2000 }).map(String)),
  fc.tuple(fc.constant('skip'), fc.constantFrom('0', '3', '9007199254740991')),
  fc.tuple(
    fc.constantFrom('compose', 'includeHistory', 'cache'),
    fc.constantFrom('true', 'false', 'all', '3', ''),
  ),
  fc.tuple(
    fc.constantFrom('sort', 'fields'),
    fc.constantFrom(
      '{"title":1}',
      '{"pages":-1,"_id":1}',
      '{"notes":1}',
      '{"author.name":0}',
      '{}',
      'title',
      '{"v":1}',
    ),
  ),
  fc.tuple(
    fc.constantFrom('filter', 'historyFilters'),
    filter.map((value) => JSON.stringify(value)),
  ),
  fc.tuple(fc.constant('callback'), fc.constantFrom('done', 'a.b', '<script>', 'x'.repeat(101))),
);

const BROKEN = [
  ...['%', '%zz', 'filter=%', 'filter=%ff', 'a=%00', '&&&', '=', 'filter={}&filter={}', 'filter', 'count'],
  ...[`filter=${'['.repeat(2000)}`, `x=${'y'.repeat(17_000)}`],
];

/** A query string, at times not even percent-encoded right. */
export const queryString = mostly(
  fc
    .uniqueArray(mostly(rightParameter, fc.tuple(PARAMETER, parameterValue)), {
      maxLength: 4,
      selector: ([parameter]) => parameter,
    })
    .map((pairs) => pairs.map(([parameter, value]) => `${parameter}=${encoded(value)}`).join('&')),
  fc.constantFrom(...BROKEN),
);

const segment = fc.oneof(
  fc.constantFrom(
    ...['1.0', 'library', 'books', 'people', 'config', 'stats', 'count', 'history', 'api', 'token', 'junk'],
  ),
  fc.constantFrom(
    ...[
      'collections',
      'clients',
      'status',
      'flush',
      '..',
      '.',
      '%2e%2e',
      '%2f',
      '%00',
      '%zz',
      '__proto__',
      '',
    ],
  ),
  text.map(encoded),
);

const id = mostly(fc.constantFrom('5f43a1e2b3c4d5e6f7a8b9c0', 'ffffffffffffffffffffffff'), text.map(encoded));

const rightPath = fc.oneof(
  fc.tuple(fc.constantFrom('books', 'people')).map(([name]) => `/1.0/library/${name}`),
  fc.tuple(fc.constantFrom('books', 'people'), id).map(([name, one]) => `/1.0/library/${name}/${one}`),
  id.map((one) => `/1.0/library/books/${one}/history`),
  fc.constantFrom('/1.0/library/books/count', '/1.0/library/books/stats', '/1.0/library/books/config'),
  fc.constantFrom(
    '/api/collections',
    '/api/status',
    '/api/flush',
    '/api/config',
    '/api/clients',
    '/api/clients/admin',
  ),
  fc.constantFrom('/hello', '/health', '/token', '/favicon.ico', '/1.0/library/books/', '//', '/1.0/library'),
);

export const path = fc.oneof(
  { weight: 3, arbitrary: rightPath },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`) },
);

export const method = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'PROPFIND',
  'TRACE',
);

/** Clients that are made and changed; never the admin, whose token the run needs. */
const client = mostly(fc.constantFrom('me', 'you', 'nobody'), text.map(encoded));

const changedPath = mostly(
  fc.oneof(
    fc.constantFrom('/api/clients', '/api/config', '/api/flush', '/1.0/echo', '/1.0/echo?x=1', '/1.0/gone'),
    fc.tuple(client, fc.constantFrom('', '/secret')).map(([name, end]) => `/api/clients/${name}${end}`),
    fc
      .tuple(
        fc.constantFrom('/1.0/junk', '/api/hooks/junk'),
        fc.constantFrom(
          'config',
          'policy',
          'suspend',
          'versions',
          'versions/1/rollback',
          'versions/1/approve',
        ),
      )
      .map(([module, end]) => `${module}/${end}`),
  ),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/api/hooks/${parts.join('/')}`),
);

const changedBody = fc.oneof(
  json,
  bodyText,
  fc.constantFrom(
    'module.exports.get = (req, res) => res.json(req.query);',
    'module.exports = (obj) => obj;',
    'for (;;);',
    'module.exports.get = (req, res) => {',
  ),
  fc.record(
    {
      ...{ clientId: client, secret: text, accessType: fc.constantFrom('admin', 'user', 1), data: json },
      ...{ version: fc.constantFrom(1, 2), limits: json, grants: json, permissions: json },
      ...{ logging: json, server: json, caching: json, cors: json },
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
);

/** What an admin may send to change something, and calls of an endpoint at `/1.0/echo`. */
export const change = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'DELETE', 'GET', 'HEAD', 'PATCH'),
  path: changedPath,
  body: changedBody,
  type: mostly(fc.constantFrom('application/json', 'text/plain'), fc.constantFrom('text/html', '', 'x')),
  signedIn: mostly(fc.constant(true), fc.constant(false)),
});

const latin = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

/** Headers as they come off a socket: any Latin-1 text. */
export const headers = fc.dictionary(
  mostly(
    fc.constantFrom(
      'accept',
      'if-match',
      'if-none-match',
      'origin',
      'x-request-id',
      'x-forwarded-for',
      'range',
      'cookie',
    ),
    fc.constantFrom('content-type', 'authorization', 'content-encoding', 'access-control-request-method'),
  ),
  fc.oneof(
    latin,
    fc.constantFrom(
      'application/json',
      'text/plain',
      'application/json; charset=utf-16',
      'gzip',
      '*',
      '"1"',
      'W/"1-x"',
    ),
    fc.constantFrom(
      'Bearer',
      'Bearer x.y.z',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Basic YTpi',
      'null',
      'http://evil.example',
    ),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
