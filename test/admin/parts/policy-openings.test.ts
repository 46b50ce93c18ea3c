// What one policy allows and another did not, as the admin page tells it.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../admin/src/api/json.ts';
import { openingsOf } from '../../../admin/src/parts/modules/policy/openings.ts';
import type { CollectionGrant, FetchGrant } from '../../../admin/src/parts/modules/policy/policy.ts';

const books: CollectionGrant = { name: '1.0/library/books', actions: ['find'], maxResults: 20 };
const withBooks = (...collections: CollectionGrant[]) => ({ grants: { collections } });
const api: FetchGrant = { origin: 'https://api.example.com', methods: ['GET'], paths: ['/v1/'] };
const withApi = (...fetch: FetchGrant[]) => ({ grants: { fetch } });

describe('what a policy newly opens', () => {
  it('is nothing where it is the same, or narrower', () => {
    expect(openingsOf({}, {})).toEqual([]);
    expect(openingsOf({}, withBooks(books))).toEqual([]);
    expect(openingsOf(withBooks({ ...books, maxResults: 5 }), withBooks(books))).toEqual([]);
    expect(openingsOf(withApi({ ...api, paths: ['/v1/now'] }), withApi(api))).toEqual([]);
    expect(openingsOf({ isolation: 'isolate', limits: { cpuMs: 10 } }, {})).toEqual([]);
  });

  it('is an action, more results, another actor, another collection', () => {
    expect(openingsOf(withBooks({ ...books, actions: ['find', 'delete'] }), withBooks(books))).toEqual([
      'Delete documents of 1.0/library/books with the rights of whoever calls, at most 20 in one call',
    ]);
    for (const change of [{ maxResults: 21 }, { as: 'client:editor' }, { name: '1.0/library/people' }])
      expect(openingsOf(withBooks({ ...books, ...change }), withBooks(books))).toHaveLength(1);
    const { maxResults: _, ...unbounded } = books;
    expect(openingsOf(withBooks(unbounded), withBooks(books))).toHaveLength(1);
  });

  it('is hashing of passwords, and more rounds of it', () => {
    const withRounds = (maxRounds?: number) => ({
      grants: { bcrypt: maxRounds === undefined ? {} : { maxRounds } },
    });
    expect(openingsOf(withRounds(10), {})).toEqual([
      'Hash passwords on a thread of the server, with at most 10 rounds',
    ]);
    expect(openingsOf(withRounds(), withRounds(11))).toHaveLength(1);
    expect(openingsOf(withRounds(8), withRounds(10))).toEqual([]);
    expect(openingsOf(withRounds(), withRounds(12))).toEqual([]);
    expect(openingsOf({}, withRounds(10))).toEqual([]);
  });

  it('is a value under another name, and another value', () => {
    const withConfig = (config: JsonObject) => ({ grants: { config } });
    const before = withConfig({ email: 'a@example.com', list: [1, 2] });
    expect(openingsOf(before, before)).toEqual([]);
    expect(openingsOf(withConfig({ list: [1, 2] }), before)).toEqual([]);
    expect(openingsOf(withConfig({ email: 'b@example.com', list: [1, 2], port: 25 }), before)).toEqual([
      'Read email by Config.get: "b@example.com"',
      'Read port by Config.get: 25',
    ]);
    const long = 'x'.repeat(1000);
    expect(openingsOf(withConfig({ long }), {})).toEqual([`Read long by Config.get: "${'x'.repeat(199)}…`]);
  });

  it('is an origin, a method, a path, a header, a larger or slower answer', () => {
    const changes = [
      { origin: 'https://other.example.com' },
      { methods: ['GET', 'POST'] },
      { paths: ['/v1/', '/v2/'] },
      { paths: ['/'] },
      { headers: { authorization: 'secret:KEY' } },
      { maxBytes: 2_000_000 },
      { timeoutMs: 6000 },
    ];
    for (const change of changes)
      expect(openingsOf(withApi({ ...api, ...change }), withApi(api))).toHaveLength(1);
    expect(openingsOf(withApi({ ...api, methods: ['GET', 'POST'] }), withApi(api))[0]).toMatch(
      /^Send POST requests to https:\/\/api\.example\.com, everything below \/v1\//,
    );
  });

  it('is what a later grant says once the one before it is gone', () => {
    const secret = { ...api, paths: ['/'], headers: { authorization: 'secret:KEY' } };
    expect(openingsOf(withApi(secret), withApi(api, secret))).toHaveLength(1);
    expect(openingsOf(withApi(secret, api), withApi(api, secret))).toHaveLength(1);
  });

  it('is a header of requests or answers, a larger body, a limit, weaker isolation, a trust domain', () => {
    const policies = [
      { grants: { request: { headers: ['authorization'] } } },
      { grants: { response: { headers: ['set-cookie'] } } },
      { limits: { heapMb: 65 } },
      { trustDomain: 'reports' },
    ];
    for (const policy of policies) expect(openingsOf(policy, {})).toHaveLength(1);
    expect(openingsOf({}, { grants: { request: { maxBodyBytes: 10 } } })).toHaveLength(1);
    expect(openingsOf({}, { limits: { perMinute: 60 } })).toHaveLength(1);
    expect(openingsOf({}, { isolation: 'isolate' })).toHaveLength(1);
  });
});
