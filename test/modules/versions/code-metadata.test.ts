import { describe, expect, it } from 'vitest';
import type { Inspection } from '../../../sandbox/protocol.ts';
import { decodeStoredMetadata, parseCodeMetadata } from '../../../src/modules/versions/code-metadata.ts';

type Accepted = Extract<Inspection, { ok: true }>;
const found = (given: Partial<Accepted>): Accepted => ({
  ...{ ok: true, methods: [], settings: {}, route: null, warnings: [], isolation: null },
  ...given,
});

describe('parseCodeMetadata', () => {
  it('requires a token unless the module says otherwise', () => {
    const nothing = { methods: [], authenticate: true, displayName: null, route: null };
    expect(parseCodeMetadata(found({}))).toEqual(nothing);
    const inherited = Object.create({ authenticate: false }) as Record<string, unknown>;
    expect(parseCodeMetadata(found({ settings: inherited }))).toEqual(nothing);
  });

  it('keeps known settings only', () => {
    expect(
      parseCodeMetadata(
        found({
          methods: ['PUT', 'GET', 'TRACE', 'constructor'],
          settings: { authenticate: ['post', 'Post', 'GET'], displayName: 'A\u202e b', cache: true },
          route: '/1.0/x',
        }),
      ),
    ).toEqual({
      methods: ['GET', 'PUT'],
      authenticate: ['POST', 'GET'],
      displayName: 'A\\u{202e} b',
      route: '/1.0/x',
    });
    expect(parseCodeMetadata(found({ settings: { displayName: 5 } })).displayName).toBeNull();
    expect(parseCodeMetadata(found({ settings: { authenticate: false } })).authenticate).toBe(false);
  });

  it.each([null, 'false', 0, {}, ['GET', 'EVERYTHING'], [['GET', 'PUT']]])(
    'refuses `authenticate: %j`, which may mean anything',
    (authenticate) => {
      expect(() => parseCodeMetadata(found({ settings: { authenticate } }))).toThrow(
        expect.objectContaining({
          code: 'ENDPOINT_INVALID',
          items: [expect.objectContaining({ field: 'model.settings.authenticate' })],
        }),
      );
    },
  );
});

it('parseCodeMetadata rejects nested lists of any depth', () => {
  let deep: unknown = 'GET';
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  expect(() => parseCodeMetadata(found({ settings: { authenticate: deep } }))).toThrow(
    expect.objectContaining({ code: 'ENDPOINT_INVALID' }),
  );
});

describe('decodeStoredMetadata', () => {
  it('accepts stored metadata and nothing else', () => {
    const good = { methods: ['GET'], authenticate: ['GET'], displayName: 'x', route: '/1.0/x' };
    expect(decodeStoredMetadata({ ...good, extra: 1 })).toEqual(good);
    for (const bad of [null, undefined, 5, [], {}, { ...good, methods: 'GET' }, { ...good, route: 1 }]) {
      expect(decodeStoredMetadata(bad)).toBeUndefined();
    }
  });
});
