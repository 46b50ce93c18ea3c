import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../src/lib/fingerprint.ts';
import { code, endpoint, hook, loadedModules } from './modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

describe('posting an endpoint', () => {
  it('brings it into force, into its file and into the audit log', async () => {
    const { modules, read, audited, inspected } = await loadedModules();
    const source = code({
      methods: ['POST', 'GET'],
      settings: { authenticate: false, displayName: 'Report' },
    });
    expect(await modules.post(REPORT, source, 'alice')).toEqual({
      created: true,
      version: 1,
      pending: false,
      warnings: [],
      suggestedIsolation: null,
    });
    expect(modules.registry.match('/1.0/report')?.endpoint).toMatchObject({
      path: '/1.0/report',
      state: 'active',
      methods: ['GET', 'POST'],
      authenticate: false,
      displayName: 'Report',
      postedBy: 'alice',
      unit: {
        id: 'endpoint:1.0/report',
        kind: 'endpoint',
        version: 1,
        source,
        sha256: fingerprint(source),
        policy: { isolation: 'realm', trustDomain: 'default' },
      },
    });
    expect(modules.source(REPORT)).toBe(source);
    expect(await read(FILE)).toBe(source);
    expect(await audited()).toEqual([['endpoint.create', '/1.0/report', 'alice']]);
    expect(inspected).toEqual([source]);
  });

  it('replaces it by a new unit, and keeps the old version', async () => {
    const { modules, retired } = await loadedModules();
    await modules.post(REPORT, code({}, 'one'), 'alice');
    const before = modules.registry.get(REPORT);
    const result = await modules.post(REPORT, code({}, 'two'), 'bob');
    expect(result).toMatchObject({ created: false, version: 2 });
    expect(modules.registry.get(REPORT)?.unit).not.toBe(before?.unit);
    expect(retired).toEqual(['endpoint:1.0/report']);
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, clientId: 'alice', active: false, sha256: fingerprint(code({}, 'one')) },
      { version: 2, clientId: 'bob', active: true },
    ]);
    expect(await modules.versionSource(REPORT, 1)).toBe(code({}, 'one'));
    await expect(modules.versionSource(REPORT, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await modules.diff(REPORT, 1, 2)).toContain('-one\n');
  });

  it('creates or replaces only, when told so', async () => {
    const { modules } = await loadedModules();
    await expect(modules.post(hook('slugify'), code(), 'alice', true)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await modules.post(hook('slugify'), code(), 'alice', false);
    await expect(modules.post(hook('slugify'), code(), 'alice', false)).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: 'Hook already exists',
    });
    await modules.post(hook('slugify'), code(), 'alice', true);
    expect(await modules.versions(hook('slugify'))).toHaveLength(2);
    expect(modules.registry.list().map(({ path }) => path)).toEqual(['/api/hooks/slugify']);
  });

  it('tells of names that are assigned to and not declared, and what to do', async () => {
    const { modules } = await loadedModules();
    const result = await modules.post(REPORT, code({ warnings: ['a\tb'] }, 'undeclared'), 'alice');
    expect(result.warnings).toEqual(['a b', expect.stringMatching(/^line 2: `count` is assigned to/)]);
    expect(result.suggestedIsolation).toBe('context');
    await modules.putPolicy(REPORT, { isolation: 'context' }, 'alice');
    expect(await modules.post(REPORT, code({}, 'undeclared'), 'alice')).toMatchObject({ warnings: [] });
  });

  it('runs posts of one endpoint one after the other', async () => {
    const { modules } = await loadedModules();
    const sources = Array.from({ length: 8 }, (_, index) => code({}, `v${index}`));
    const results = await Promise.all(sources.map((source) => modules.post(REPORT, source, 'alice')));
    expect(results.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(modules.source(REPORT)).toBe(sources[7]);
  });
});

describe('what is refused changes nothing', () => {
  it.each([
    [
      'a syntax error',
      code({}, 'syntax'),
      { code: 'ENDPOINT_SYNTAX', message: 'Unexpected token', line: 1, column: 2 },
    ],
    ['a failure at load', code({}, 'load'), { code: 'ENDPOINT_LOAD', message: 'boom' }],
    ['no code', ' \n\t', { code: 'ENDPOINT_SYNTAX', message: 'There is no code' }],
    ['NUL', 'a\nbc\0', { code: 'ENDPOINT_SYNTAX', line: 2, column: 3 }],
    ['half a character', 'a\ud800', { code: 'ENDPOINT_SYNTAX' }],
    [
      'settings that are not understood',
      code({ settings: { authenticate: 'no' } }),
      { field: 'model.settings.authenticate' },
    ],
    ['a route elsewhere', code({ route: '/2.0/x' }), { field: 'route' }],
  ])('%s', async (_, source, item) => {
    const { modules, read, audited } = await loadedModules();
    await modules.post(REPORT, code({}, 'good'), 'alice');
    await expect(modules.post(REPORT, source, 'alice')).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [item],
    });
    expect(modules.source(REPORT)).toBe(code({}, 'good'));
    expect(await read(FILE)).toBe(code({}, 'good'));
    expect(await modules.versions(REPORT)).toHaveLength(1);
    expect(await audited()).toHaveLength(1);
  });

  it('too much code', async () => {
    const { modules } = await loadedModules();
    await expect(modules.post(REPORT, `//${'é'.repeat(5000)}`, 'alice')).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await expect(modules.post(REPORT, `\ufeff${code()}`, 'alice')).resolves.toMatchObject({ version: 1 });
    expect(modules.source(REPORT)).toBe(code());
  });

  it.each([
    ['the name', endpoint('a.b')],
    ['an empty name', endpoint('')],
    ['a name that leaves the folder', endpoint('../x')],
    ['a long name', endpoint('x'.repeat(101))],
    ['a reserved name', endpoint('search')],
    ['the version', endpoint('report', 'a/b')],
    ['a reserved version', endpoint('report', 'api')],
    ['a version that leaves the folder', endpoint('report', '..')],
    ['the name of a hook', hook('a/b')],
  ])('an address by %s', async (_, address) => {
    const { modules } = await loadedModules();
    await expect(modules.post(address, code(), 'alice')).rejects.toMatchObject({ code: 'ENDPOINT_INVALID' });
    expect(modules.registry.list()).toEqual([]);
  });

  it('the name of a database folder of its version', async () => {
    const { modules } = await loadedModules({ collections: ['1.0/library/books'] });
    await expect(modules.post(endpoint('library'), code(), 'alice')).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
    await modules.post(endpoint('library', '2.0'), code(), 'alice');
    await modules.post(hook('library'), code(), 'alice');
  });

  it('a workspace that cannot be written', async () => {
    const { modules, write, store } = await loadedModules();
    await write('endpoints/3.0', 'a file in the way');
    await expect(modules.post(endpoint('report', '3.0'), code(), 'alice')).rejects.toMatchObject({
      code: 'WORKSPACE_UNAVAILABLE',
    });
    expect(modules.registry.get(endpoint('report', '3.0'))).toBeUndefined();
    expect(
      await store.count(
        { database: null, collection: 'cloister.moduleVersions' },
        { kind: 'and', filters: [] },
      ),
    ).toBe(1);
  });
});

describe('a custom route', () => {
  it('replaces the default path, but for the sub-resources', async () => {
    const { modules } = await loadedModules();
    await modules.post(REPORT, code({ route: '/1.0/reports/:id([0-9]{2})?' }), 'alice');
    const { registry } = modules;
    expect(registry.match('/1.0/reports/42')).toMatchObject({ params: { id: '42' }, sub: [] });
    expect(registry.match('/1.0/reports')?.params).toEqual({});
    expect(registry.match('/1.0/reports/425')).toBeUndefined();
    expect(registry.match('/1.0/report')).toBeUndefined();
    expect(registry.match('/1.0/report/versions/3')?.sub).toEqual(['versions', '3']);
    expect(registry.get(REPORT)?.path).toBe('/1.0/reports/:id([0-9]{2})?');
  });

  it.each([
    ['a collection', '/1.0/library/:x'],
    ['what is below a collection', '/1.0/:a/:b/count'],
    ['another endpoint', '/1.0/:page'],
    ['a sub-resource of another endpoint', '/1.0/other/:x'],
    ['a route of another endpoint', '/1.0/shelf/:y'],
    ['a reserved path', '/1.0/search'],
  ])('shadows not %s', async (_, route) => {
    const { modules } = await loadedModules({ collections: ['1.0/library/books'] });
    await modules.post(endpoint('other'), code(), 'alice');
    await modules.post(endpoint('routed'), code({ route: '/1.0/shelf/:x' }), 'alice');
    await expect(modules.post(REPORT, code({ route }), 'alice')).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [{ field: 'route', message: expect.stringMatching(/^shadows/) }],
    });
    await modules.post(endpoint('routed'), code({ route: '/1.0/shelf/:y' }), 'alice');
  });

  it('keeps others from its paths', async () => {
    const { modules } = await loadedModules();
    await modules.post(endpoint('page'), code({ route: '/1.0/:lang([a-z]{2})' }), 'alice');
    await expect(modules.post(endpoint('de'), code(), 'alice')).rejects.toMatchObject({
      items: [{ message: '`/1.0/de` belongs to the route of `page`' }],
    });
    await modules.post(endpoint('den'), code(), 'alice');
  });
});

describe('removing', () => {
  it('removes code, policy and log, and keeps the versions', async () => {
    const { modules, read, audited, retired } = await loadedModules();
    await modules.post(REPORT, code(), 'alice');
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, 'alice');
    const unit = modules.registry.get(REPORT)?.unit;
    modules.log(unit!, 'r1', { level: 'info', message: 'hello' });
    await modules.suspend(REPORT, 'alice');
    retired.length = 0;
    await modules.remove(REPORT, 'bob');
    expect(modules.registry.match('/1.0/report')).toBeUndefined();
    expect([await read(FILE), await read(POLICY)]).toEqual([undefined, undefined]);
    expect(retired).toEqual(['endpoint:1.0/report']);
    modules.log(unit!, 'r2', { level: 'info', message: 'too late' });
    await expect(modules.versions(REPORT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(modules.remove(REPORT, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await audited()).at(-1)).toEqual(['endpoint.remove', '/1.0/report', 'bob']);

    expect(await modules.post(REPORT, code(), 'carol')).toMatchObject({ created: true, version: 2 });
    expect(modules.registry.get(REPORT)?.state).toBe('active');
    expect(modules.policy(REPORT)).toEqual({ version: 1 });
    expect(modules.logs(REPORT, { limit: 10, after: 0 })).toEqual([]);
    expect((await modules.versions(REPORT)).map(({ clientId }) => clientId)).toEqual(['alice', 'carol']);
  });
});

describe('rolling back', () => {
  it('makes a new version of old code, which is not looked at again', async () => {
    const { modules, read, inspected } = await loadedModules();
    await modules.post(REPORT, code({ methods: ['GET'] }, 'one'), 'alice');
    await modules.post(REPORT, code({ methods: ['POST'] }, 'two'), 'alice');
    inspected.length = 0;
    expect(await modules.rollback(REPORT, 1, 'bob')).toMatchObject({
      created: false,
      version: 3,
      pending: false,
    });
    expect(inspected).toEqual([]);
    expect(modules.registry.get(REPORT)).toMatchObject({ methods: ['GET'], postedBy: 'bob' });
    expect(await read(FILE)).toBe(code({ methods: ['GET'] }, 'one'));
    const [first, , third] = await modules.versions(REPORT);
    expect(third).toMatchObject({ sha256: first?.sha256, active: true });
    await expect(modules.rollback(REPORT, 9, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(modules.rollback(endpoint('other'), 1, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
