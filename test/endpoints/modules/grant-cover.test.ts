import { describe, expect, it } from 'vitest';
import {
  beyondCollections,
  beyondFetches,
  coveringCollection,
  coveringFetch,
} from '../../../src/endpoints/modules/grant-cover.ts';
import type { CollectionGrant } from '../../../src/endpoints/unit.ts';

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
  ] as const)('%j goes beyond the ceilings in %s', (asked, member) => {
    expect(beyondCollections(asked, [read, write])).toBe(member);
  });

  it('goes beyond no ceilings by its name', () => {
    expect(beyondCollections({ name: 'a/b/c', actions: ['find'] }, [])).toBe('name');
  });

  it('is covered by the first entry that covers all of it', () => {
    const wide = { ...read, name: '*' };
    expect(coveringCollection({ name: '1.0/library/books', actions: ['find'] }, [write, read, wide])).toBe(
      read,
    );
    expect(coveringCollection({ name: '1.0/x/books', actions: ['find'] }, [write, read])).toBeUndefined();
  });
});

describe('a fetch grant', () => {
  const secret = { authorization: 'secret:TOKEN' };
  it.each([
    [{ origin: 'https://api.org', paths: ['/v1/', '/v1/x', '/status'] }, undefined],
    [{ origin: 'https://api.org', paths: ['/v1/'], headers: secret }, undefined],
    [{ origin: 'https://else.org', headers: { accept: 'text/plain' } }, undefined],
    [{ origin: 'http://api.org' }, 'origin'],
    [{ origin: 'https://api.org.evil', headers: secret }, 'headers'],
    [{ origin: 'https://api.org', methods: ['POST'] }, 'methods'],
    [{ origin: 'https://api.org', paths: ['/v1'], maxBytes: 6 }, 'maxBytes'],
    [{ origin: 'https://api.org', timeoutMs: 6 }, 'timeoutMs'],
  ] as const)('%j goes beyond the ceilings in %s', (asked, member) => {
    expect(beyondFetches(asked, [api, any])).toBe(member);
  });

  it('adds the headers that the ceilings list, where they list any', () => {
    const listed = [{ ...any, headers: secret }];
    expect(beyondFetches({ origin: 'https://a.org', headers: secret }, listed)).toBeUndefined();
    expect(beyondFetches({ origin: 'https://a.org', headers: { accept: 'x' } }, listed)).toBe('headers');
    expect(beyondFetches({ origin: 'https://a.org', headers: { authorization: 'x' } }, listed)).toBe(
      'headers',
    );
    expect(beyondFetches({ origin: 'https://a.org', headers: { constructor: 'x' } }, listed)).toBe('headers');
  });

  it('is covered by the first entry that covers all of it', () => {
    expect(coveringFetch({ origin: 'https://api.org', paths: ['/v1/'] }, [api, any])).toBe(api);
    expect(coveringFetch({ origin: 'https://api.org' }, [api, any])).toBe(any);
  });
});
