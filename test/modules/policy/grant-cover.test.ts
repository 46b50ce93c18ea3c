import { describe, expect, it } from 'vitest';
import {
  exceededCollectionMember,
  exceededFetchMember,
  fetchLimitsFor,
  findCoveringCollectionLimit,
  findCoveringFetchLimit,
} from '../../../src/modules/policy/grant-cover.ts';
import type { CollectionGrant } from '../../../src/sandbox-supervisor/model/module-version.ts';
import { packaged } from '../open-modules.ts';

const read: CollectionGrant = { name: '1.0/library/*', actions: ['find'], as: 'caller', maxResults: 100 };
const write: CollectionGrant = {
  name: '1.0/shop/orders',
  actions: ['create'],
  as: 'client:*',
  maxResults: 1,
};
const api = {
  origin: 'https://api.org',
  methods: ['GET'],
  paths: ['/v1/', '/status'],
  maxBytes: 10,
  timeoutMs: 10,
};
const any = { origin: 'https://*', methods: ['GET'], paths: ['/'], maxBytes: 5, timeoutMs: 5 };

describe('a collection grant', () => {
  it.each([
    [{ name: '1.0/library/books', actions: ['find'] }, undefined],
    [{ name: '1.0/library/books', actions: ['find'], maxResults: 100 }, undefined],
    [{ name: '1.0/shop/orders', actions: ['create'], as: 'client:till' }, undefined],
    [{ name: '1.0/other/books', actions: ['find'] }, 'name'],
    [{ name: '1.0/library/books', actions: ['find'], as: 'client:till' }, 'as'],
    [{ name: '1.0/library/books', actions: ['find', 'create'] }, 'actions'],
    [{ name: '1.0/library/books', actions: ['find'], maxResults: 101 }, 'maxResults'],
    // No single entry covers both.
    [{ name: '1.0/shop/orders', actions: ['find'], as: 'client:till' }, 'actions'],
  ] as const)('%j exceeds the policy limits in %s', (asked, member) => {
    expect(exceededCollectionMember(asked, [read, write])).toBe(member);
  });

  it('exceeds no policy limits by its name', () => {
    expect(exceededCollectionMember({ name: 'a/b/c', actions: ['find'] }, [])).toBe('name');
  });

  it('is covered by the first entry that covers all of it', () => {
    const wide = { ...read, name: '*' };
    expect(
      findCoveringCollectionLimit({ name: '1.0/library/books', actions: ['find'] }, [write, read, wide]),
    ).toBe(read);
    expect(
      findCoveringCollectionLimit({ name: '1.0/x/books', actions: ['find'] }, [write, read]),
    ).toBeUndefined();
  });
});

describe('a fetch grant', () => {
  const secret = { authorization: 'secret:TOKEN' };
  it.each([
    [{ origin: 'https://api.org', paths: ['/v1/', '/v1/x', '/status'] }, undefined],
    [{ origin: 'https://api.org', paths: ['/v1/'], headers: secret }, 'headers'],
    [{ origin: 'https://else.org', headers: { accept: 'text/plain' } }, undefined],
    [{ origin: 'http://api.org' }, 'origin'],
    [{ origin: 'https://api.org.evil', headers: secret }, 'headers'],
    [{ origin: 'https://api.org', methods: ['POST'] }, 'methods'],
    [{ origin: 'https://api.org', paths: ['/v1'], maxBytes: 6 }, 'maxBytes'],
    [{ origin: 'https://api.org', timeoutMs: 6 }, 'timeoutMs'],
  ] as const)('%j exceeds the policy limits in %s', (asked, member) => {
    expect(exceededFetchMember(asked, [api, any])).toBe(member);
  });

  it('may add the headers that the policy limits list, where they list any', () => {
    const listed = [{ ...any, origin: 'https://a.org', headers: secret }];
    expect(exceededFetchMember({ origin: 'https://a.org', headers: secret }, listed)).toBeUndefined();
    expect(
      exceededFetchMember({ origin: 'https://a.org', headers: secret }, [{ ...any, headers: secret }]),
    ).toBe('headers');
    expect(exceededFetchMember({ origin: 'https://a.org', headers: { accept: 'x' } }, listed)).toBe(
      'headers',
    );
    expect(exceededFetchMember({ origin: 'https://a.org', headers: { authorization: 'x' } }, listed)).toBe(
      'headers',
    );
    expect(exceededFetchMember({ origin: 'https://a.org', headers: { constructor: 'x' } }, listed)).toBe(
      'headers',
    );
  });

  it('may use a secret only where the policy limits name it together with the host', () => {
    const a = { ...any, origin: 'https://a.org', headers: { authorization: 'secret:A' } };
    const b = { ...any, origin: 'https://b.org', headers: { authorization: 'secret:B' } };
    const asked = (origin: string, value: string) => ({ origin, headers: { authorization: value } });
    expect(exceededFetchMember(asked('https://a.org', 'secret:A'), [a, b])).toBeUndefined();
    expect(exceededFetchMember(asked('https://a.org', 'secret:B'), [a, b])).toBe('headers');
  });

  it('uses GET without a method, which has to be covered', () => {
    const post = [{ ...api, methods: ['POST'] }];
    expect(exceededFetchMember({ origin: 'https://api.org', paths: ['/v1/'] }, post)).toBe('methods');
  });

  it('for a host of `egress.allow` is covered by entries that name it, never by `http://*`', () => {
    const search = { ...api, origin: 'http://10.0.0.5:9200', paths: ['/search/'] };
    const all = { ...any, origin: 'http://*' };
    const ceilings = {
      ...packaged,
      grants: { ...packaged.grants, fetch: [all, search] },
      egress: { allow: ['10.0.0.5:9200'] },
    };
    expect(fetchLimitsFor('http://10.0.0.5:9200', ceilings)).toEqual([search]);
    expect(fetchLimitsFor('http://example.com:9200', ceilings)).toEqual([all, search]);
    const bare = { ...ceilings, grants: packaged.grants };
    expect(fetchLimitsFor('http://10.0.0.5:9200', bare)).toEqual([]);
  });

  it('is covered by the first entry that covers all of it', () => {
    expect(findCoveringFetchLimit({ origin: 'https://api.org', paths: ['/v1/'] }, [api, any])).toBe(api);
    expect(findCoveringFetchLimit({ origin: 'https://api.org' }, [api, any])).toBe(any);
  });
});
