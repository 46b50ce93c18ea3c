import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import {
  exceededCollectionMember,
  exceededFetchMember,
  fetchLimitsFor,
  findCoveringCollectionLimit,
  findCoveringFetchLimit,
  loadPolicyLimits,
} from '../../../src/modules/policy/policy-limits.ts';
import type { CollectionGrant } from '../../../src/sandbox-supervisor/model/module-version.ts';
import { packaged } from '../open-modules.ts';

const SANDBOX = new URL('sandbox/', packageRoot());

async function withFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cloister-ceilings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'ceilings.json');
  await writeFile(file, text);
  return file;
}

const load = async (value: unknown) => loadPolicyLimits(SANDBOX, await withFile(JSON.stringify(value)));

async function itemsOf(value: unknown) {
  const error = await load(value).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe('CONFIGURATION_INVALID');
  return (error as AppError).items.map(({ field, message }) => [field, message]);
}

describe('loadPolicyLimits', () => {
  it('loads the packaged file, which allows no fetch and no other client', async () => {
    const { limits, grants, egress } = await loadPolicyLimits(SANDBOX);
    expect(limits).toEqual({
      cpuMs: 5000,
      wallMs: 30_000,
      heapMb: 256,
      responseBytes: 12_582_912,
      logBytes: 1_048_576,
      hostCalls: 1000,
      concurrency: 64,
      perMinute: 0,
    });
    expect(grants.fetch).toEqual([]);
    expect(grants.collections).toEqual([
      {
        name: '*',
        actions: ['find', 'count', 'create', 'update', 'delete', 'stats'],
        as: 'caller',
        maxResults: 10_000,
      },
    ]);
    expect(egress.allow).toEqual([]);
  });

  it('accepts the packaged file as the file of the operator', async () => {
    const { pathname } = new URL('policy.json', SANDBOX);
    expect(await loadPolicyLimits(SANDBOX, pathname)).toEqual(await loadPolicyLimits(SANDBOX));
  });

  it('takes from the packaged file what the file of the operator leaves out', async () => {
    const packaged = await loadPolicyLimits(SANDBOX);
    const own = await load({ version: 1, limits: { cpuMs: 200 }, grants: { request: { maxBodyBytes: 5 } } });
    expect(own.limits).toEqual({ ...packaged.limits, cpuMs: 200 });
    expect(own.grants.request).toEqual({ ...packaged.grants.request, maxBodyBytes: 5 });
    expect(own.grants.collections).toEqual(packaged.grants.collections);
  });

  it('fills in the defaults of entries, and adds none for `egress.allow`', async () => {
    const { grants, egress } = await load({
      grants: {
        collections: [{ name: '1.0/library/*', as: 'client:*' }],
        fetch: [{ origin: 'https://*', methods: ['GET'] }],
      },
      egress: { allow: ['127.0.0.1:9000', '[::1]:443'] },
    });
    expect(grants.collections[0]).toMatchObject({ as: 'client:*', maxResults: 1000 });
    expect(grants.collections[0]?.actions).toHaveLength(6);
    expect(grants.fetch[0]).toMatchObject({ methods: ['GET'], paths: ['/'], maxBytes: 10_485_760 });
    expect(grants.fetch).toHaveLength(1);
    expect(egress.allow).toEqual(['127.0.0.1:9000', '[::1]:443']);
  });

  it('reports every issue with its path', async () => {
    expect(
      await itemsOf({
        version: 2,
        limits: { cpuMs: 1, cpu: 5 },
        grants: { fetch: [{ origin: 'https://*.example.org' }], collections: [{ name: '*', as: 'root' }] },
        egress: { allow: ['127.0.0.1'] },
      }),
    ).toEqual([
      ['version', 'must be one of 1'],
      ['limits.cpu', 'is unknown'],
      ['limits.cpuMs', 'must be 10 or more'],
      ['grants.collections.0.as', 'must be `caller`, `client:<id>` or `client:*`'],
      ['grants.fetch.0.origin', 'must be an origin such as `https://api.example.com`, or `https://*`'],
      ['egress.allow.0', 'must be a host and a port, such as `127.0.0.1:9000` or `[::1]:9000`'],
    ]);
    // A larger answer would break the pipe of its host, which counts against the module.
    expect(await itemsOf({ limits: { responseBytes: 12_582_913 } })).toEqual([
      ['limits.responseBytes', 'must be 12582912 or less'],
    ]);
    const fetch = [{ origin: 'https://a.org', paths: ['/search/', '/search/*', '/a/..;/b'] }];
    const path = 'must be a path without a query or `*`; ending in `/` it is a prefix';
    expect(await itemsOf({ grants: { fetch } })).toEqual([
      ['grants.fetch.0.paths.1', path],
      ['grants.fetch.0.paths.2', path],
    ]);
    expect(await itemsOf([])).toEqual([['', 'must be an object']]);
    expect(await itemsOf(JSON.parse('{"limits":{"__proto__":{"cpuMs":1}}}'))).toEqual([
      ['limits.__proto__', 'is a reserved name'],
    ]);
  });

  it('names the file that cannot be read or is not JSON', async () => {
    await expect(loadPolicyLimits(SANDBOX, join(tmpdir(), 'no-such-ceilings.json'))).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(/no-such-ceilings\.json cannot be read$/),
    });
    await expect(loadPolicyLimits(SANDBOX, await withFile('{'))).rejects.toMatchObject({
      message: expect.stringMatching(/the file is not valid JSON: line 1, column 2: expected/),
    });
  });
});

describe('the schema of the policy limits', () => {
  it('describes every member', async () => {
    const { default: schema } = await import('../../../sandbox/policy.schema.json', {
      with: { type: 'json' },
    });
    const silent: string[] = [];
    const visit = (path: string, node: Record<string, unknown>) => {
      if (node['description'] === undefined) silent.push(path);
      const items = node['items'] as Record<string, unknown> | undefined;
      const members = { ...(node['properties'] as object), ...(items?.['properties'] as object) };
      for (const [name, child] of Object.entries(members)) visit(`${path}.${name}`, child as typeof node);
    };
    visit('', schema);
    expect(silent).toEqual([]);
  });
});

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
