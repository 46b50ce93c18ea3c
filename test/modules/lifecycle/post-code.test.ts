import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { code, endpoint, hook, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';

describe('posting an endpoint', () => {
  it('activates it, writes its file and the audit log', async () => {
    const { modules, read, audited, inspected } = await loadedModules();
    const source = code({
      methods: ['POST', 'GET'],
      settings: { authenticate: false, displayName: 'Report' },
    });
    expect(await modules.postCode(REPORT, source, 'alice')).toEqual({
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
      moduleVersion: {
        id: 'endpoint:1.0/report',
        kind: 'endpoint',
        version: 1,
        source,
        sha256: sha256Hex(source),
        policy: { isolation: 'realm', trustDomain: 'default' },
      },
    });
    expect(modules.source(REPORT)).toBe(source);
    expect(await read(FILE)).toBe(source);
    expect(await audited()).toEqual([['endpoint.create', '/1.0/report', 'alice']]);
    expect(inspected).toEqual([source]);
  });

  it('replaces it by a new module version, and keeps the old version', async () => {
    const { modules, retired } = await loadedModules();
    await modules.postCode(REPORT, code({}, 'one'), 'alice');
    const before = modules.registry.get(REPORT);
    const result = await modules.postCode(REPORT, code({}, 'two'), 'bob');
    expect(result).toMatchObject({ created: false, version: 2 });
    expect(modules.registry.get(REPORT)?.moduleVersion).not.toBe(before?.moduleVersion);
    expect(retired).toEqual(['endpoint:1.0/report']);
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, clientId: 'alice', active: false, sha256: sha256Hex(code({}, 'one')) },
      { version: 2, clientId: 'bob', active: true },
    ]);
    expect(await modules.versionSource(REPORT, 1)).toBe(code({}, 'one'));
    await expect(modules.versionSource(REPORT, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await modules.diff(REPORT, 1, 2)).toContain('-one\n');
  });

  it('only creates, or only replaces, when `replace` says so', async () => {
    const { modules } = await loadedModules();
    await expect(modules.postCode(hook('slugify'), code(), 'alice', true)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await modules.postCode(hook('slugify'), code(), 'alice', false);
    await expect(modules.postCode(hook('slugify'), code(), 'alice', false)).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: 'Hook already exists',
    });
    await modules.postCode(hook('slugify'), code(), 'alice', true);
    expect(await modules.versions(hook('slugify'))).toHaveLength(2);
    expect(modules.registry.list().map(({ path }) => path)).toEqual(['/api/hooks/slugify']);
  });

  it('warns of names that are assigned to and not declared', async () => {
    const { modules } = await loadedModules();
    const result = await modules.postCode(REPORT, code({ warnings: ['a\tb'] }, 'undeclared'), 'alice');
    expect(result.warnings).toEqual(['a b', expect.stringMatching(/^line 2: `count` is assigned to/)]);
    expect(result.suggestedIsolation).toBe('context');
    await modules.putPolicy(REPORT, { isolation: 'context' }, 'alice');
    expect(await modules.postCode(REPORT, code({}, 'undeclared'), 'alice')).toMatchObject({ warnings: [] });
  });

  it('runs posts of one endpoint one after the other', async () => {
    const { modules } = await loadedModules();
    const sources = Array.from({ length: 8 }, (_, index) => code({}, `v${index}`));
    const results = await Promise.all(sources.map((source) => modules.postCode(REPORT, source, 'alice')));
    expect(results.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(modules.source(REPORT)).toBe(sources[7]);
  });
});

describe('rolling back an endpoint', () => {
  it('creates a new version of old code without inspecting it again', async () => {
    const { modules, read, inspected } = await loadedModules();
    await modules.postCode(REPORT, code({ methods: ['GET'] }, 'one'), 'alice');
    await modules.postCode(REPORT, code({ methods: ['POST'] }, 'two'), 'alice');
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
