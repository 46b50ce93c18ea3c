import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { createPolicyParser } from '../../../src/modules/policy/policy.ts';
import { loadPolicyLimits, type PolicyLimits } from '../../../src/modules/policy/policy-limits.ts';

const packaged = await loadPolicyLimits(new URL('sandbox/', packageRoot()));

function readerWith(ceilings: Partial<PolicyLimits> = {}) {
  return createPolicyParser({
    policyLimits: { ...packaged, ...ceilings },
    jsonBytes: 1_000_000,
  });
}

const reader = readerWith();
const fetching = readerWith({
  grants: {
    ...packaged.grants,
    fetch: [
      {
        origin: 'https://api.example.com',
        methods: ['GET', 'POST'],
        paths: ['/v1/'],
        maxBytes: 500_000,
        timeoutMs: 3000,
      },
      { origin: 'https://*', methods: ['GET'], paths: ['/'], maxBytes: 1000, timeoutMs: 500 },
    ],
  },
});
const effective = async (value: unknown, from = reader) => (await from.parse(value)).resolve('hook:x', false);

async function fieldsOf(value: unknown, from = reader) {
  const error = await from.parse(value).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  const { code, items } = error as AppError;
  expect(code).toBe('POLICY_INVALID');
  expect(items.every((item) => item.code === 'POLICY_INVALID')).toBe(true);
  return items.map(({ field }) => field);
}

describe('an empty policy', () => {
  it('has the default limits and no grants', () => {
    expect(reader.empty.input).toBeUndefined();
    expect(reader.empty.resolve('endpoint:1.0/report', false)).toEqual({
      isolation: 'realm',
      trustDomain: 'default',
      limits: {
        cpuMs: 1000,
        wallMs: 5000,
        heapMb: 64,
        responseBytes: 10_485_760,
        logBytes: 65_536,
        hostCalls: 50,
        concurrency: 16,
        perMinute: 0,
      },
      grants: {
        request: {
          headers: ['accept', 'accept-language', 'content-type', 'user-agent'],
          maxBodyBytes: 1_000_000,
        },
        response: {
          headers: [
            ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
            ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
          ],
        },
        collections: [],
        fetch: [],
        bcrypt: { maxRounds: 0 },
        config: {},
      },
    });
  });

  it('is reduced to policy limits below the defaults', () => {
    const low = readerWith({
      limits: { ...packaged.limits, cpuMs: 100, perMinute: 30 },
      grants: { ...packaged.grants, request: { headers: ['content-type'], maxBodyBytes: 10 } },
    });
    const { limits, grants } = low.empty.resolve('hook:x', false);
    expect(limits).toMatchObject({ cpuMs: 100, wallMs: 5000, perMinute: 30 });
    expect(grants.request).toEqual({ headers: ['content-type'], maxBodyBytes: 10 });
  });
});

describe('a policy', () => {
  it('gets the version of its format and nothing else', async () => {
    expect((await reader.parse({})).input).toEqual({ version: 1 });
    const given = { version: 1, limits: { cpuMs: 20 } };
    expect((await reader.parse(given)).input).toEqual(given);
  });

  it('may grant bcrypt, with as many rounds as it and the policy limits say', async () => {
    const roundsOf = async (bcrypt: object, own = reader) =>
      (await effective({ grants: { bcrypt } }, own)).grants.bcrypt.maxRounds;
    expect([await roundsOf({}), await roundsOf({ maxRounds: 8 })]).toEqual([12, 8]);
    const low = readerWith({ grants: { ...packaged.grants, bcrypt: { maxRounds: 6 } } });
    expect(await roundsOf({}, low)).toBe(6);
    expect(await fieldsOf({ grants: { bcrypt: { maxRounds: 7 } } }, low)).toEqual([
      'grants.bcrypt.maxRounds',
    ]);
    const none = readerWith({ grants: { ...packaged.grants, bcrypt: { maxRounds: 0 } } });
    expect(await fieldsOf({ grants: { bcrypt: {} } }, none)).toEqual(['grants.bcrypt']);
    for (const bcrypt of [true, { maxRounds: 3 }, { maxRounds: 15 }, { maxRounds: '10' }, { rounds: 10 }])
      expect((await fieldsOf({ grants: { bcrypt } }))[0]).toMatch(/^grants\.bcrypt/);
  });

  it('replaces defaults', async () => {
    const policy = await effective({
      isolation: 'context',
      trustDomain: 'shop',
      limits: { cpuMs: 10, perMinute: 600 },
      grants: { response: { headers: ['set-cookie', 'x-*', 'x-*'] }, request: { headers: [] } },
    });
    expect(policy).toMatchObject({ isolation: 'context', trustDomain: 'shop' });
    expect(policy.limits).toMatchObject({ cpuMs: 10, perMinute: 600, heapMb: 64 });
    expect(policy.grants.request.headers).toEqual([]);
    expect(policy.grants.response.headers).toEqual(['set-cookie', 'x-*']);
  });

  it('fills in defaults of grants within the policy limits', async () => {
    const { grants } = await effective(
      {
        grants: {
          collections: [{ name: '1.0/library/books', actions: ['find'] }],
          fetch: [{ origin: 'https://api.example.com', paths: ['/v1/items'] }, { origin: 'https://b.org' }],
        },
      },
      fetching,
    );
    expect(grants.collections).toEqual([
      { name: '1.0/library/books', actions: ['find'], as: 'caller', maxResults: 1000 },
    ]);
    expect(grants.fetch).toEqual([
      {
        origin: 'https://api.example.com',
        methods: ['GET'],
        paths: ['/v1/items'],
        maxBytes: 500_000,
        timeoutMs: 3000,
        headers: {},
      },
      {
        origin: 'https://b.org',
        methods: ['GET'],
        paths: ['/'],
        maxBytes: 1000,
        timeoutMs: 500,
        headers: {},
        publicOnly: true,
      },
    ]);
  });

  it('has its own trust domain with a secret or in quarantine', async () => {
    const headers = { authorization: 'secret:API_TOKEN' };
    const fetch = [{ origin: 'https://api.example.com', paths: ['/v1/'], headers }];
    const listed = { ...fetch[0], methods: ['GET'], maxBytes: 1000, timeoutMs: 500 } as never;
    const fetching = readerWith({ grants: { ...packaged.grants, fetch: [listed] } });
    expect((await effective({ grants: { fetch } }, fetching)).trustDomain).toBe('own:hook:x');
    expect((await effective({ trustDomain: 'shop', grants: { fetch } }, fetching)).trustDomain).toBe('shop');
    expect((await reader.parse({ trustDomain: 'shop' })).resolve('hook:x', true).trustDomain).toBe(
      'own:hook:x',
    );
    expect(reader.empty.resolve('hook:x', true).trustDomain).toBe('own:hook:x');
  });
});

describe('a policy is rejected', () => {
  it.each([
    ['no object', [], ['']],
    ['an unknown member', { limit: {} }, ['limit']],
    ['an unknown member deep below', { grants: { response: { header: [] } } }, ['grants.response.header']],
    ['the block of the server', { code: {} }, ['code']],
    ['another format', { version: 2 }, ['version']],
    ['an unknown isolation', { isolation: 'none' }, ['isolation']],
    ['a trust domain of the server’s own', { trustDomain: ' inspect' }, ['trustDomain']],
    ['a trust domain with a colon', { trustDomain: 'own:hook:x' }, ['trustDomain']],
    ['less heap than an isolate needs', { limits: { heapMb: 7 } }, ['limits.heapMb']],
    ['too little CPU', { limits: { cpuMs: 9 } }, ['limits.cpuMs']],
    ['too little time', { limits: { wallMs: 49 } }, ['limits.wallMs']],
    ['zero limits', { limits: { hostCalls: 0, perMinute: 0 } }, ['limits.hostCalls', 'limits.perMinute']],
    ['a fraction', { limits: { cpuMs: 10.5 } }, ['limits.cpuMs']],
    ['more than the ceiling', { limits: { cpuMs: 5001, heapMb: 257 } }, ['limits.cpuMs', 'limits.heapMb']],
    ['a larger body', { grants: { request: { maxBodyBytes: 1e9 } } }, ['grants.request.maxBodyBytes']],
    ['a key that reaches prototypes', JSON.parse('{"__proto__":{"limits":{}}}'), ['__proto__']],
    ['a lone surrogate', { trustDomain: '\ud800' }, ['trustDomain']],
  ])('with %s', async (_, value, fields) => {
    expect(await fieldsOf(value)).toEqual(fields);
  });

  it('with a megabyte of text', async () => {
    expect(await fieldsOf({ trustDomain: 'x'.repeat(200_000) })).toEqual([undefined]);
  });

  it.each([
    ['framing', 'content-length'],
    ['framing that the ceilings name', 'transfer-encoding'],
    ['a pattern over what needs a name', 'access-control-*'],
    ['what the ceilings do not name', 'x-accel-redirect'],
    ['another spelling', 'X-Total'],
    ['no name', 'x y'],
    ['everything', '*'],
  ])('with a header: %s', async (_, header) => {
    const value = { grants: { response: { headers: ['etag', header] } } };
    expect(await fieldsOf(value)).toEqual(['grants.response.headers.1']);
  });

  it.each([
    ['no collection', { name: 'books', actions: ['find'] }, 'name'],
    ['no action', { name: '1.0/library/books', actions: [] }, 'actions'],
    ['an unknown action', { name: '1.0/library/books', actions: ['aggregate'] }, 'actions.0'],
    ['acting as somebody', { name: '1.0/library/books', actions: ['find'], as: 'client:root' }, 'as'],
    ['acting as nobody', { name: '1.0/library/books', actions: ['find'], as: 'admin' }, 'as'],
    ['more results', { name: '1.0/library/books', actions: ['find'], maxResults: 10_001 }, 'maxResults'],
  ])('with collections: %s', async (_, grant, member) => {
    expect(await fieldsOf({ grants: { collections: [grant] } })).toEqual([`grants.collections.0.${member}`]);
  });

  it.each([
    ['no origin', { origin: 'https://api.example.com/' }, 'origin'],
    ['another scheme', { origin: 'ftp://api.example.com' }, 'origin'],
    ['a loopback origin', { origin: 'https://127.0.0.1' }, 'origin'],
    ['an origin beyond the ceilings', { origin: 'http://api.example.com' }, 'origin'],
    ['a method beyond the ceilings', { origin: 'https://b.org', methods: ['POST'] }, 'methods'],
    [
      'a path beyond the ceilings',
      { origin: 'https://api.example.com', methods: ['POST'], paths: ['/'] },
      'paths',
    ],
    ['a path with dots', { origin: 'https://b.org', paths: ['/a/../b'] }, 'paths.0'],
    ['a path with a hidden slash', { origin: 'https://b.org', paths: ['/a%2fb'] }, 'paths.0'],
    ['a secret for any host', { origin: 'https://b.org', headers: { authorization: 'secret:A' } }, 'headers'],
    ['a header that frames', { origin: 'https://b.org', headers: { te: 'x' } }, 'headers.te'],
    ['a header of two lines', { origin: 'https://b.org', headers: { a: 'x\r\nb: c' } }, 'headers.a'],
    ['more bytes', { origin: 'https://b.org', maxBytes: 1001 }, 'maxBytes'],
    ['more time', { origin: 'https://b.org', timeoutMs: 501 }, 'timeoutMs'],
  ])('with fetch: %s', async (_, grant, member) => {
    expect(await fieldsOf({ grants: { fetch: [grant] } }, fetching)).toEqual([`grants.fetch.0.${member}`]);
  });

  it('with any fetch under the packaged policy limits', async () => {
    const fetch = [{ origin: 'https://api.example.com' }];
    expect(await fieldsOf({ grants: { fetch } })).toEqual(['grants.fetch.0.origin']);
  });

  it('with at most fifty issues', async () => {
    const headers = Array.from({ length: 100 }, (_, index) => `X${index}`);
    expect(await fieldsOf({ grants: { response: { headers } } })).toHaveLength(50);
  });
});
