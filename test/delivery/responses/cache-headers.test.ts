import { expect, test } from 'vitest';
import type { VisitorFact } from '../../../src/delivery/model/delivery-types.ts';
import {
  cacheControlHeader,
  consultedHeaders,
  parseCacheControlByType,
  varyHeader,
} from '../../../src/delivery/responses/cache-headers.ts';

const facts = (...names: VisitorFact[]) => new Set(names);

test.each([
  ['public, max-age=3600', 'private, max-age=3600'],
  ['max-age=60', 'private, max-age=60'],
  ['Public, S-MaxAge=9, max-age=60, proxy-revalidate', 'private, max-age=60'],
  ['private, no-cache', 'private, no-cache'],
  ['no-store', 'private, no-store'],
])('with a country consulted, %j becomes %j', (setting, sent) => {
  expect(cacheControlHeader(setting, { consulted: facts('country', 'device') })).toBe(sent);
  expect(cacheControlHeader(setting, { consulted: facts('network') })).toBe(sent);
});

test('values by media type are read whatever the case and the spaces, and under the names that older servers used', () => {
  const entries = [
    'Text/CSS : public, max-age=1',
    'application/javascript:no-store',
    'image/x: a: b',
    'text/css: no-cache',
  ];
  expect([...parseCacheControlByType(entries)]).toEqual([
    ['text/css', 'no-cache'],
    ['text/javascript', 'no-store'],
    ['image/x', 'a: b'],
  ]);
});

test('with only headers consulted, the setting is sent unchanged', () => {
  expect(cacheControlHeader('public, max-age=1', { consulted: facts('device', 'language') })).toBe(
    'public, max-age=1',
  );
});

test('Vary names the headers of the consulted facts, each once, and is absent without any', () => {
  expect(consultedHeaders(facts('language', 'country', 'device'))).toEqual(['Accept-Language', 'User-Agent']);
  expect(varyHeader(['Accept', 'User-Agent', 'Accept'])).toEqual({ Vary: 'Accept, User-Agent' });
  expect(varyHeader([])).toEqual({});
});

test.each([
  ['public, max-age=3600', 'private, max-age=3'],
  ['max-age=2', 'private, max-age=2'],
  [
    'max-age="9", immutable, stale-while-revalidate=9, must-revalidate',
    'private, must-revalidate, max-age=3',
  ],
  ['public', 'private, max-age=3'],
  ['', 'private, max-age=3'],
  ['no-store', 'private, no-store'],
  ['no-cache, max-age=9', 'private, no-cache, max-age=9'],
])('after a lookup that failed, %j becomes %j', (setting, sent) => {
  expect(cacheControlHeader(setting, { consulted: facts('country'), maxAge: 3.7 })).toBe(sent);
});
