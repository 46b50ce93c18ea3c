// Generators of requests: query strings, paths, methods and headers as they come off a socket.
import fc from 'fast-check';
import { filter } from './hostile-content.ts';
import { json, text } from './hostile-values.ts';

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

/** A query string, at times not even percent-encoded right. */
export const queryString = fc.oneof(
  fc
    .array(fc.tuple(PARAMETER, parameterValue), { maxLength: 4 })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
    ),
  fc.constantFrom(
    '%',
    '%zz',
    'filter=%',
    'filter=%ff',
    'a=%00',
    '&&&',
    '=',
    `filter=${'['.repeat(2000)}`,
    `x=${'y'.repeat(17_000)}`,
  ),
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
  text.map((value) => encodeURIComponent(value.toWellFormed())),
);

export const path = fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);

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

const latin = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

/** Headers as they come off a socket: any Latin-1 text. */
export const headers = fc.dictionary(
  fc.constantFrom(
    ...['content-type', 'accept', 'if-match', 'if-none-match', 'authorization', 'content-encoding', 'origin'],
    ...[
      'x-http-method-override',
      'x-request-id',
      'x-forwarded-for',
      'access-control-request-method',
      'range',
      'cookie',
    ],
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
