import { expect, test } from 'vitest';
import type { Fact } from '../../../src/delivery/delivery.ts';
import {
  cacheControlHeader,
  consultedHeaders,
  varyHeader,
} from '../../../src/delivery/responses/cache-headers.ts';

const facts = (...names: Fact[]) => new Set(names);

test.each([
  ['public, max-age=3600', 'private, max-age=3600'],
  ['max-age=60', 'private, max-age=60'],
  ['Public, S-MaxAge=9, max-age=60, proxy-revalidate', 'private, max-age=60'],
  ['private, no-cache', 'private, no-cache'],
  ['no-store', 'private, no-store'],
])('where a country decided, %j becomes %j', (setting, sent) => {
  expect(cacheControlHeader(setting, facts('country', 'device'))).toBe(sent);
  expect(cacheControlHeader(setting, facts('network'))).toBe(sent);
});

test('where headers alone decided, the setting is sent as it is', () => {
  expect(cacheControlHeader('public, max-age=1', facts('device', 'language'))).toBe('public, max-age=1');
});

test('Vary names the headers behind the facts, each once, and is missing where there are none', () => {
  expect(consultedHeaders(facts('language', 'country', 'device'))).toEqual(['Accept-Language', 'User-Agent']);
  expect(varyHeader(['Accept', 'User-Agent', 'Accept'])).toEqual({ Vary: 'Accept, User-Agent' });
  expect(varyHeader([])).toEqual({});
});
